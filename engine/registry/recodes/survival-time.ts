import { dayNumber } from '../multiple-primaries/day-number.ts'
import { fillDates } from './fill-dates.ts'
import { inOrder, readSequence } from './order-of-tumors.ts'
import { type PartialDate, readPartialDate, type WholeDate, writeDate } from './partial-date.ts'
import type { PatientTexts, Texts } from './recode.ts'

// Survival in months for each tumor (registry-lookups.md 4.8).

const DAYS_OF_MONTH = 365.24 / 12
const FIRST_YEAR = 1900
const YEAR = /^\d{4}$/
const ALIVE = /^0*1$/
/** Reporting sources of tumors that are known only from the death certificate or an autopsy. */
const AFTER_DEATH: readonly string[] = Object.freeze(['6', '7'])

const UNKNOWN_MONTHS = '9999'
const UNKNOWN_DAYS = '99999'
const FLAGS = Object.freeze({
  none: '0',
  some: '1',
  maybeNone: '2',
  someOfPartialDates: '3',
  afterDeath: '8',
  unknown: '9',
})

interface Survival {
  readonly months: string
  readonly days: string
  readonly flag: string
}
const UNKNOWN: Survival = Object.freeze({
  months: UNKNOWN_MONTHS,
  days: UNKNOWN_DAYS,
  flag: FLAGS.unknown,
})
const NO_SURVIVAL: Survival = Object.freeze({ ...UNKNOWN, flag: FLAGS.afterDeath })

interface Tumor {
  readonly i: number
  readonly date: PartialDate
  readonly sequence: number
  readonly isAfterDeath: boolean
}

/**
 * Returns two survival times for each tumor: until the last contact, and under the assumption that patients who
 * were alive then lived to the end of the study.
 */
export function survivalTime(
  patient: Texts,
  tumors: readonly Texts[],
  today: string,
): PatientTexts {
  const read = tumors.map(readTumor)
  const order = inOrder(read).map(({ i }) => i)
  const numbered = (i: number, texts: Texts): Texts => ({
    ...texts,
    record_number: String(order.indexOf(i) + 1),
  })
  const contacts = tumors.map((one) => one.date_of_last_contact ?? patient.date_of_last_contact)
  const statuses = tumors.map((one) => one.vital_status ?? patient.vital_status)
  const unknown = (i: number) => numbered(i, textsOf(UNKNOWN, UNKNOWN))
  const vitalStatus = allSame(statuses) ? statuses[0] : undefined
  if (!allSame(contacts) || !allSame(statuses) || !YEAR.test(patient.end_year ?? '')) {
    return {
      patient: { vital_status_recode: vitalStatus },
      tumors: read.map(({ i }) => unknown(i)),
    }
  }
  const endYear = Number(patient.end_year)
  const end: WholeDate = { year: endYear, month: 12, day: 31 }
  const contact = knownContact(readPartialDate(contacts[0]), readPartialDate(today))
  const isAlive = ALIVE.test(vitalStatus ?? '')
  const valid = inOrder(
    read.filter(
      ({ date: { year } }) => year !== undefined && year >= FIRST_YEAR && year <= endYear,
    ),
  )
  const isBeyond = contact.year !== undefined && contact.year > endYear
  const isMeasured = contact.year !== undefined || isAlive
  const dates = isMeasured
    ? fillDates([...valid.map(({ date }) => date), contact], readPartialDate(patient.date_of_birth))
    : []
  const lastContact = contact.year === undefined ? undefined : isBeyond ? end : dates.at(-1)
  const presumed = isAlive ? end : lastContact
  const ends = [lastContact, presumed].map((last): Followed | undefined => {
    if (last === undefined) return undefined
    return { last, known: dayOf(last) === dayOf(end) ? end : contact }
  })
  const [followed, presumedAlive] = ends.map((one) => survivalsOf(valid, dates, one))
  const answers = new Map(
    valid.map(({ i, date, isAfterDeath }, place) => {
      const survivals = [followed, presumedAlive].map((all) =>
        isAfterDeath ? NO_SURVIVAL : (all?.[place] ?? UNKNOWN),
      )
      const [one = UNKNOWN, other = UNKNOWN] = survivals
      const recoded = writeDate(dates[place] ?? date)
      return [i, { ...textsOf(one, other), date_of_diagnosis_recode: recoded }] as const
    }),
  )
  return {
    patient: {
      vital_status_recode: isBeyond ? '1' : vitalStatus,
      date_of_last_contact_recode: lastContact && writeDate(lastContact),
      date_presumed_alive: presumed && writeDate(presumed),
    },
    tumors: read.map(({ i }) => {
      const answer = answers.get(i)
      return answer ? numbered(i, answer) : unknown(i)
    }),
  }
}

function readTumor(tumor: Texts, i: number): Tumor {
  return {
    i,
    date: readPartialDate(tumor.date_of_diagnosis),
    sequence: readSequence(tumor.sequence),
    isAfterDeath: AFTER_DEATH.includes(tumor.reporting_source ?? ''),
  }
}

const allSame = (values: readonly (string | undefined)[]) =>
  values.every((value) => value === values[0])

function textsOf(followed: Survival, presumed: Survival): Texts {
  return {
    months: followed.months,
    flag: followed.flag,
    months_presumed_alive: presumed.months,
    flag_presumed_alive: presumed.flag,
    days: followed.days,
    days_presumed_alive: presumed.days,
  }
}

/** Discards a last contact in the future or before FIRST_YEAR. */
function knownContact(contact: PartialDate, today: PartialDate): PartialDate {
  const { year = 0, month = 0, day = 0 } = contact
  const now = { year: 0, month: 0, day: 0, ...today }
  const isFuture =
    year > now.year ||
    (year === now.year && (month > now.month || (month === now.month && day > now.day)))
  return year < FIRST_YEAR || isFuture ? {} : contact
}

/** The end of a patient's follow-up. */
interface Followed {
  /** The date with unknown parts filled in. */
  readonly last: WholeDate
  /** The known parts of the date. */
  readonly known: PartialDate
}

function survivalsOf(
  tumors: readonly Tumor[],
  dates: readonly WholeDate[],
  followed: Followed | undefined,
): readonly Survival[] {
  if (!followed) return []
  const survivals = tumors.map(({ date }, i) => survivalOf(date, dates[i], followed))
  // A patient with a later tumor must have survived the earlier tumors for some time.
  const lastWithSome = survivals.findLastIndex(
    ({ flag }) => flag === FLAGS.some || flag === FLAGS.someOfPartialDates,
  )
  return survivals.map((one, i) =>
    one.flag === FLAGS.maybeNone && i < lastWithSome
      ? { ...one, flag: FLAGS.someOfPartialDates }
      : one,
  )
}

function survivalOf(
  date: PartialDate,
  filled: WholeDate | undefined,
  { last, known }: Followed,
): Survival {
  if (!filled) return UNKNOWN
  const lived = dayOf(last) - dayOf(filled)
  if (lived < 0) return UNKNOWN
  const months = String(Math.floor(lived / DAYS_OF_MONTH)).padStart(UNKNOWN_MONTHS.length, '0')
  const days = String(lived).padStart(UNKNOWN_DAYS.length, '0')
  if (date.day !== undefined && known.day !== undefined) {
    return { months, days, flag: lived > 0 ? FLAGS.some : FLAGS.none }
  }
  const { month } = date
  const mayBeOneMonth = month === undefined || known.month === undefined || month === known.month
  const mayBeNone = date.year === known.year && mayBeOneMonth
  return { months, days, flag: mayBeNone ? FLAGS.maybeNone : FLAGS.someOfPartialDates }
}

const dayOf = ({ year, month, day }: WholeDate) => dayNumber(year, month, day)
