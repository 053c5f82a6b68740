// A second implementation of the recodes of patients, independent of the engine: step by step over numbers, in
// which 99 and 9999 stand for unknown, as in registry-lookups.md 4.3 and 4.8.

type Values = Readonly<Record<string, string | undefined>>
export interface NaivePatient {
  readonly [name: string]: string | undefined | readonly Values[]
  readonly tumors: readonly Values[]
}

interface Numbers {
  year: number
  month: number
  day: number
}

function numbersOf(text = ''): Numbers {
  const unknown = { year: 9999, month: 99, day: 99 }
  if (!/^([0-9]{4}|[0-9]{6}|[0-9]{8})$/.test(text)) return unknown
  const year = Number(text.slice(0, 4))
  const month = text.length > 4 ? Number(text.slice(4, 6)) : 99
  const day = text.length > 6 ? Number(text.slice(6)) : 99
  if (year === 9999) return unknown
  if (month < 1 || month > 12) return { year, month: 99, day: 99 }
  return { year, month, day: day < 1 || day > lastDay(year, month) ? 99 : day }
}

/** Milliseconds of a date; `Date.UTC` interprets years below 100 differently. */
function time({ year, month, day }: Numbers): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime()
}
const DAY = 86_400_000
const lastDay = (year: number, month: number) =>
  new Date(time({ year, month: month + 1, day: 0 })).getUTCDate()

interface Case extends Numbers {
  sequence: number
  place: number
  tumor: Values
}

function casesOf(tumors: readonly Values[]): Case[] {
  return tumors.map((tumor, place) => {
    const digits = /^[0-9]{1,2}$/.test(tumor.sequence ?? '')
    let sequence = digits ? Number(tumor.sequence) : -1
    if (sequence >= 60 && sequence <= 97) sequence += 100
    return { ...numbersOf(tumor.date_of_diagnosis), sequence, place, tumor }
  })
}

function byDate(a: Numbers, b: Numbers): number {
  if (a.year === 9999 || b.year === 9999) return 0
  if (a.year !== b.year) return a.year - b.year
  if (a.month === 99 || b.month === 99) return 0
  if (a.month !== b.month) return a.month - b.month
  if (a.day === 99 || b.day === 99) return 0
  return a.day - b.day
}

function ordered(cases: readonly Case[]): Case[] {
  const result: Case[] = []
  const isKnown: ((one: Case) => boolean)[] = [
    ({ day }) => day !== 99,
    ({ day, month }) => day === 99 && month !== 99,
    ({ month, year }) => month === 99 && year !== 9999,
    ({ year }) => year === 9999,
  ]
  for (const kind of isKnown) {
    const some = cases.filter(kind).sort((a, b) => byDate(a, b) || a.sequence - b.sequence)
    const wasEmpty = result.length === 0
    for (const one of some) {
      let at = result.length
      while (!wasEmpty && at > 0 && !goesBehind(one, result, at - 1)) at--
      result.splice(at, 0, one)
    }
  }
  return result
}

function goesBehind(one: Case, result: readonly Case[], at: number): boolean {
  const other = result[at] as Case
  const order = byDate(one, other)
  if (order !== 0) return order > 0
  const isOwn = one.sequence > 100
  const isOtherOwn = other.sequence > 100
  if (!isOwn) return one.sequence >= other.sequence
  if (isOtherOwn && one.sequence >= other.sequence) return true
  const numbers: number[] = []
  for (let i = 0; i <= at; i++) {
    const before = result[i] as Case
    if (byDate(one, before) === 0 && before.sequence > 100) numbers.push(before.sequence)
  }
  for (let i = 1; i < numbers.length; i++) {
    if ((numbers[i - 1] as number) > (numbers[i] as number)) return true
  }
  return numbers.length === 0 || one.sequence > (numbers.at(-1) as number)
}

const IARC_GROUPS = [
  [8051, 8084, 8120, 8131],
  [8090, 8110],
  [...[8140, 8149, 8160, 8162, 8190, 8221, 8260, 8337], ...[8350, 8551, 8570, 8576, 8940, 8941]],
  [...[8030, 8046, 8150, 8157, 8170, 8180, 8230, 8255], ...[8340, 8347, 8560, 8562, 8580, 8671]],
  [8010, 8015, 8020, 8022, 8050, 8050],
  [
    ...[8680, 8713, 8800, 8921, 8990, 8991, 9040, 9044, 9120, 9125],
    ...[9130, 9136, 9141, 9252, 9370, 9373, 9540, 9582],
  ],
  [9050, 9055],
  [...[9840, 9840, 9861, 9931, 9945, 9946, 9950, 9950], ...[9961, 9964, 9980, 9987, 9991, 9992]],
  [
    ...[9597, 9597, 9670, 9699, 9712, 9712, 9728, 9728, 9731, 9738, 9761, 9767, 9769, 9769],
    ...[9811, 9818, 9823, 9826, 9833, 9833, 9836, 9836, 9940, 9940],
  ],
  [
    // 9712 belongs to the previous group.
    ...[9700, 9711, 9713, 9726, 9729, 9729, 9768, 9768],
    ...[9827, 9831, 9834, 9834, 9837, 9837, 9948, 9948],
  ],
  [9650, 9667],
  [9740, 9742],
  [9750, 9759],
  [
    ...[9590, 9591, 9596, 9596, 9727, 9727, 9760, 9760, 9800, 9809, 9820, 9820],
    ...[9832, 9832, 9835, 9835, 9860, 9860, 9960, 9960, 9965, 9975, 9989, 9989],
  ],
  [9140, 9140],
  [...[8720, 8790, 8930, 8936, 8950, 8983, 9000, 9030], ...[9060, 9110, 9260, 9365, 9380, 9539]],
  [8000, 8005],
]

function iarcHistology(hist = ''): number {
  if (!/^[0-9]{4}$/.test(hist)) return 0
  for (const [i, bounds] of IARC_GROUPS.entries()) {
    for (let j = 0; j < bounds.length; j += 2) {
      const [low = 0, high = 0] = bounds.slice(j, j + 2)
      if (Number(hist) >= low && Number(hist) <= high) return i + 1
    }
  }
  return 0
}

function iarcSite(site = ''): string {
  if (site.length < 3) return ''
  const three = site.slice(0, 3).toUpperCase()
  if (three === 'C01') return 'C02'
  if (/^C0[03456]$/.test(three)) return 'C06'
  if (/^C(09|10|12|13|14)$/.test(three)) return 'C14'
  if (three === 'C19') return 'C20'
  if (three === 'C23') return 'C24'
  if (three === 'C33') return 'C34'
  if (three === 'C40') return 'C41'
  return /^C6[5678]$/.test(three) ? 'C68' : three
}

export function naiveIarc({ tumors }: NaivePatient): NaivePatient {
  const cases = ordered(casesOf(tumors)).map((one) => ({
    ...one,
    hist: one.tumor.hist ?? '',
    primary: one.tumor.behavior === '3' || /^c67/i.test(one.tumor.site ?? '') ? '1' : '9',
  }))
  for (let i = 0; i < cases.length; i++) {
    const first = cases[i]
    if (first?.primary !== '1') continue
    for (const later of cases.slice(i + 1)) {
      if (later.primary === '9') continue
      const [a, b] = [iarcHistology(first.hist), iarcHistology(later.hist)]
      const [s, t] = [iarcSite(first.tumor.site), iarcSite(later.tumor.site)]
      if (a === 0 || b === 0 || s === '' || t === '') continue
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      const isBlood = low >= 8 && high <= 14
      const isNos =
        (high === 17 && (low <= 7 || low === 15 || low === 16)) ||
        (high === 5 && low <= 4) ||
        (high === 14 && low >= 8 && low <= 13)
      const isSame =
        (a === 15 && b === 15) ||
        (isBlood && (a === b || high === 14)) ||
        (s === t && (a === b || isNos))
      if (!isSame) continue
      later.primary = '0'
      const isFromNos = isNos && (a === 17 || (a === 5 && b < 5) || a === 14)
      if (isFromNos || (a === b && Number(first.hist) < Number(later.hist))) first.hist = later.hist
    }
  }
  const answers: Values[] = []
  for (const { place, tumor, hist, primary } of cases) {
    answers[place] = {
      ...tumor,
      primary,
      ...(primary === '1' && hist !== '' && { primary_hist: hist }),
    }
  }
  return { tumors: answers }
}

export function naiveSurvival(patient: NaivePatient, today: string): NaivePatient {
  const { tumors, ...of } = patient as unknown as NaivePatient & Values
  const cases = casesOf(tumors)
  const numbers = new Map(ordered(cases).map((one, i) => [one.place, String(i + 1)]))
  const unknown = {
    months: '9999',
    flag: '9',
    months_presumed_alive: '9999',
    days: '99999',
    days_presumed_alive: '99999',
  }
  const answers: Record<string, string | undefined>[] = tumors.map((tumor, i) => ({
    ...tumor,
    ...unknown,
    flag_presumed_alive: '9',
    record_number: numbers.get(i),
  }))
  const contacts = new Set(tumors.map((one) => one.date_of_last_contact ?? of.date_of_last_contact))
  const statuses = new Set(tumors.map((one) => one.vital_status ?? of.vital_status))
  const [contactText] = contacts
  const [status] = statuses.size === 1 ? statuses : []
  const result: Record<string, string | undefined> = { ...of, vital_status_recode: status }
  if (contacts.size > 1 || statuses.size > 1 || !/^[0-9]{4}$/.test(of.end_year ?? '')) {
    return { ...result, tumors: answers }
  }
  const endYear = Number(of.end_year)
  const isAlive = /^0*1$/.test(status ?? '')
  const contact = numbersOf(contactText)
  const now = numbersOf(today)
  // Unknown parts count as no later than today.
  const known = (part: number) => (part === 99 ? 0 : part)
  const isLater =
    contact.year > now.year ||
    (contact.year === now.year &&
      known(contact.month) * 100 + known(contact.day) > now.month * 100 + now.day &&
      !(contact.month === now.month && contact.day === 99))
  if (contact.year < 1900 || isLater) Object.assign(contact, { year: 9999, month: 99, day: 99 })
  if (contact.year !== 9999 && contact.year > endYear) result.vital_status_recode = '1'

  const valid = ordered(
    cases.filter(({ year }) => year >= 1900 && year <= endYear && year !== 9999),
  )
  const raw: Numbers[] = [...valid, contact].map(({ year, month, day }) => ({ year, month, day }))
  const filled = raw.map((one) => ({ ...one }))
  if (contact.year !== 9999 || isAlive) fill(filled, numbersOf(of.date_of_birth))
  for (const [i, { place }] of valid.entries()) {
    const { year, month, day } = filled[i] as Numbers
    const parts = [month, day].map((part) => (part === 99 ? '' : String(part).padStart(2, '0')))
    const answer = answers[place]
    if (answer) answer.date_of_diagnosis_recode = String(year) + parts.join('')
  }
  const end = { year: endYear, month: 12, day: 31 }
  const last = filled.at(-1) as Numbers
  const isEnded = contact.year !== 9999 && contact.year > endYear
  const followed = contact.year === 9999 ? undefined : isEnded ? end : last
  const presumed = isAlive ? end : followed
  for (const [suffix, until, member] of [
    ['', followed, 'date_of_last_contact_recode'],
    ['_presumed_alive', presumed, 'date_presumed_alive'],
  ] as const) {
    if (!until) continue
    const { year, month, day } = until
    result[member] = `${year}${String(month).padStart(2, '0')}${String(day).padStart(2, '0')}`
    const isEnd = time(until) === time(end)
    const seen = isEnd ? end : contact
    let lived = false
    for (let i = valid.length - 1; i >= 0; i--) {
      const days = Math.round((time(until) - time(filled[i] as Numbers)) / DAY)
      const of = raw[i] as Numbers
      let count = Math.floor(days / (365.24 / 12))
      let lasted = days
      let mark = days > 0 ? '1' : '0'
      const isPartial = [of.month, of.day, seen.month, seen.day].includes(99)
      const isMonth = of.month === seen.month || of.month === 99 || seen.month === 99
      if (isPartial) mark = of.year === seen.year && isMonth ? '2' : '3'
      if (count < 0) [count, lasted, mark] = [9999, 99_999, '9']
      if (mark === '1' || mark === '3') lived = true
      if (mark === '2' && lived) mark = '3'
      const answer = answers[(valid[i] as Case).place]
      if (!answer) continue
      answer[`months${suffix}`] = String(count).padStart(4, '0')
      answer[`days${suffix}`] = String(lasted).padStart(5, '0')
      answer[`flag${suffix}`] = mark
    }
  }
  for (const { place, tumor } of valid) {
    const after = { ...unknown, flag: '8', flag_presumed_alive: '8' }
    if (/^[67]$/.test(tumor.reporting_source ?? '')) Object.assign(answers[place] ?? {}, after)
  }
  return { ...result, tumors: answers }
}

/** The rule of 4.10, by cases. */
export function naiveRace(patient: NaivePatient): NaivePatient {
  const { tumors, ...of } = patient as unknown as NaivePatient & Values
  const read = (text = '') => (/^[0-9]{1,2}$/.test(text) ? Number(text) : 99)
  let race = read(of.race1)
  const second = read(of.race2)
  const named = second > 0 && second < 98 && second !== 88
  if (!tumors.some(({ state }) => /^ak$/i.test(state ?? ''))) {
    const early = tumors.some(({ date_of_diagnosis: date = '' }) => {
      return /^[0-9]{4}/.test(date) && date.slice(0, 4) < '1991'
    })
    if (race === 1 && named && second > 1) race = second
    else if (race === 98 && named && !early) race = second
    if (of.ihs_link === '9') race = 99
    if (of.ihs_link === '1' && [1, 98, 99].includes(race)) race = 3
  }
  return { ...of, race_recode: race < 10 ? `0${race}` : String(race), tumors }
}

function fill(dates: Numbers[], birth: Numbers): void {
  for (const [i, one] of dates.entries()) {
    if (one.year === 9999 || one.month === 99 || one.day !== 99) continue
    const isHere = (other: Numbers) => other.year === one.year && other.month === one.month
    let low = i === 0 && isHere(birth) && birth.day !== 99 ? birth.day : 0
    let high = 0
    for (let j = i - 1; j >= 0; j--) {
      const other = dates[j] as Numbers
      if (other.day === 99) continue
      if (isHere(other)) low = other.day
      break
    }
    for (let j = i + 1; j < dates.length; j++) {
      const other = dates[j] as Numbers
      if (other.day === 99) continue
      if (isHere(other)) high = other.day
      break
    }
    one.day = Math.floor(((low || 1) + (high || lastDay(one.year, one.month))) / 2)
  }
  for (const [i, one] of dates.entries()) {
    if (one.year === 9999 || one.month !== 99) continue
    let low = { year: one.year, month: 1, day: 1 }
    let high = { year: one.year, month: 12, day: 31 }
    if (i === 0 && birth.year === one.year && birth.month !== 99) {
      low = { ...birth, day: birth.day === 99 ? 1 : birth.day }
    }
    for (let j = i - 1; j >= 0; j--) {
      const other = dates[j] as Numbers
      if (other.month === 99) continue
      if (other.year === one.year) low = other
      break
    }
    for (let j = i + 1; j < dates.length; j++) {
      const other = dates[j] as Numbers
      if (other.month === 99) continue
      if (other.year === one.year) high = other
      break
    }
    const days = Math.round((time(high) - time(low)) / DAY)
    const middle = new Date(time(low) + Math.floor(days / 2) * DAY)
    one.month = middle.getUTCMonth() + 1
    one.day = middle.getUTCDate()
  }
}
