import type { PatientTexts, Texts } from './recode.ts'

// Combines two race codes into one (registry-lookups.md 4.10).

const WHITE = 1
const BLACK = 2
const AMERICAN_INDIAN = 3
const NO_FURTHER = 88
const LAST_SPECIFIC = 97
const OTHER = 98
const UNKNOWN = 99

/** Values of the link to the Indian Health Service. */
const LINKED = '1'
const LINK_UNKNOWN = '9'

/** First year for which a second race is coded. */
const FIRST_YEAR_OF_SECOND_RACE = 1991
const YEAR = /^\d{4}/
const CODE = /^\d{1,2}$/

/** Patients from this state keep the first race code. */
const KEPT_STATE = 'AK'

/**
 * Returns the race of a patient. Any other race takes precedence over white. A patient who is linked to the
 * Indian Health Service is American Indian.
 */
export function raceRecode(
  { race1, race2, ihs_link }: Texts,
  tumors: readonly Texts[],
): PatientTexts {
  const first = readRace(race1)
  const isKept = tumors.some(({ state }) => state?.toUpperCase() === KEPT_STATE)
  const race = isKept
    ? first
    : byLink(withSecond(first, readRace(race2), tumors.some(isBefore1991)), ihs_link)
  const patient = { race_recode: String(race).padStart(2, '0') }
  return { patient, tumors: tumors.map(() => ({})) }
}

const readRace = (text = '') => (CODE.test(text) ? Number(text) : UNKNOWN)

const isBefore1991 = ({ date_of_diagnosis = '' }: Texts) =>
  YEAR.test(date_of_diagnosis) && Number(date_of_diagnosis.slice(0, 4)) < FIRST_YEAR_OF_SECOND_RACE

function withSecond(first: number, second: number, hasEarly: boolean): number {
  const isSpecific = second <= LAST_SPECIFIC && second !== NO_FURTHER
  if (first === WHITE && second >= BLACK && isSpecific) return second
  if (first === OTHER && !hasEarly && second >= WHITE && isSpecific) return second
  return first
}

function byLink(race: number, link: string | undefined): number {
  if (link === LINK_UNKNOWN) return UNKNOWN
  const isOpen = race === WHITE || race === OTHER || race === UNKNOWN
  return link === LINKED && isOpen ? AMERICAN_INDIAN : race
}
