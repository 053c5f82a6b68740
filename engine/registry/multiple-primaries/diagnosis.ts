import { dayNumber, daysInMonth } from './day-number.ts'
import type { Tumour } from './tumour.ts'

/**
 * A tumor converted to numbers. The rules use only these. Site, histology, behavior and year are -1 if they are
 * invalid (multiple-primaries.md 2).
 */
export interface Diagnosis {
  /** Digits of the site: 509 for C509. */
  readonly site: number
  /** The first two digits of the site, which are its category: 50 for C509. */
  readonly category: number
  /** 8000 to 9999. Each leading zero of a code adds 10,000, because such a code is a different histology. */
  readonly histology: number
  /** The first three digits of the histology. */
  readonly stem: number
  readonly behavior: number
  /** Histology and behavior as an index into lists and tables, from `placeOf`, or `NO_PLACE`. */
  readonly morphology: number
  /** The digit, `BLANK`, or `NO_CODE` for any other text. */
  readonly laterality: number
  readonly year: number
  /** Month, 0 if unknown. */
  readonly month: number
  /** Day, 0 if unknown. */
  readonly day: number
  /** Day numbers of the earliest and latest possible date of diagnosis (multiple-primaries.md 4.1). */
  readonly firstDay: number
  readonly lastDay: number
}

export const FIRST_HISTOLOGY = 8000
export const LAST_HISTOLOGY = 9999
/** Number of morphology indexes: ten behaviors per histology, and one index for morphologies in no list. */
export const PLACES = (LAST_HISTOLOGY - FIRST_HISTOLOGY + 1) * 10 + 1
export const NO_PLACE = PLACES - 1

/** Returns the index of a morphology in tables of PLACES entries. */
export function placeOf(histology: number, behavior: number): number {
  return (histology - FIRST_HISTOLOGY) * 10 + behavior
}

export const IN_SITU = 2
export const INVASIVE = 3

export const RIGHT = 1
export const LEFT = 2
export const BOTH_SIDES = 4
export const MIDLINE = 5
export const UNKNOWN_SIDE = 9
export const BLANK = -1
const NO_CODE = -2

/** Tumors diagnosed before this year may have ICD-O-2 codes. */
const THIRD_EDITION = 2001

/**
 * Converts a tumor to numbers.
 * @param yearNow a later year of diagnosis is invalid
 */
export function diagnosisOf(tumour: Tumour, yearNow: number): Diagnosis {
  const { year, month, day } = dateOf(tumour, yearNow)
  const coded = codedMorphology(tumour, year)
  const site = parseSite(tumour.primary_site)
  const histology = parseHistology(coded.histology)
  const behavior = parseBehavior(coded.behavior)
  const firstDay = dayNumber(year, month || 1, day || 1)
  return {
    site,
    category: Math.floor(site / 10),
    histology,
    stem: stemOf(histology, coded.histology),
    behavior,
    morphology: histology > LAST_HISTOLOGY ? NO_PLACE : placeOf(histology, behavior),
    laterality: parseLaterality(tumour.laterality),
    year,
    month,
    day,
    firstDay,
    lastDay: firstDay + (day === 0 ? spanOf(year, month) - 1 : 0),
  }
}

/** Returns the parts of a tumor's date, as in a diagnosis. */
export function dateOf(tumour: Tumour, yearNow: number): Pick<Diagnosis, 'year' | 'month' | 'day'> {
  const year = parseYear(tumour.date_of_diagnosis_year, yearNow)
  const month = parseWithin(tumour.date_of_diagnosis_month, 12)
  const day = month === 0 ? 0 : parseWithin(tumour.date_of_diagnosis_day, daysInMonth(year, month))
  return { year, month, day }
}

/** Returns whether the tumor can be assigned to a group at all. */
export function isValid({ site, histology, behavior, year }: Diagnosis): boolean {
  return site >= 0 && histology >= 0 && behavior >= 0 && year >= 0
}

interface CodedMorphology {
  readonly histology: string | undefined
  readonly behavior: string | undefined
}

/** Returns the codes to use: valid ICD-O-2 codes for tumors of that time, otherwise the ICD-O-3 codes. */
export function codedMorphology(tumour: Tumour, year: number): CodedMorphology {
  const { histology_icd_o2, histology_icd_o3, behavior_icd_o2, behavior_icd_o3 } = tumour
  const isOld = year >= 0 && year < THIRD_EDITION
  return {
    histology: isOld && parseHistology(histology_icd_o2) >= 0 ? histology_icd_o2 : histology_icd_o3,
    behavior: isOld && parseBehavior(behavior_icd_o2) >= 0 ? behavior_icd_o2 : behavior_icd_o3,
  }
}

/** Parses a year. Returns -1 if it is missing, invalid or in the future. */
export function parseYear(text: string | undefined, yearNow: number): number {
  const year = parseDigits(text)
  return year <= yearNow ? year : -1
}

/** Returns the first three digits, also for a histology with leading zeros. */
function stemOf(histology: number, text = ''): number {
  return histology > LAST_HISTOLOGY ? Number(text.slice(0, 3)) : Math.floor(histology / 10)
}

/** Returns the number of days in the month, or in the year if the month is unknown. */
function spanOf(year: number, month: number): number {
  return month === 0 ? 337 + daysInMonth(year, 2) : daysInMonth(year, month)
}

/** Parses the digits from `start` on. Returns -1 if there are none, or other characters. */
function parseDigits(text = '', start = 0): number {
  let number = text.length === start ? -1 : 0
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

function parseSite(text = ''): number {
  if (text.length !== 4 || text.charCodeAt(0) !== 67) return -1
  const site = parseDigits(text, 1)
  return site === 809 ? -1 : site
}

function parseHistology(text = ''): number {
  const histology = parseDigits(text)
  if (histology < FIRST_HISTOLOGY || histology > LAST_HISTOLOGY) return -1
  return histology + (text.length - 4) * 10_000
}

function parseBehavior(text = ''): number {
  const behavior = text.length === 1 ? text.charCodeAt(0) - 48 : -1
  const isCode = behavior === 6 || (behavior >= 0 && behavior <= INVASIVE)
  return isCode ? behavior : -1
}

function parseLaterality(text = ''): number {
  if (text.length !== 1) return text.trim() === '' ? BLANK : NO_CODE
  const digit = text.charCodeAt(0) - 48
  if (digit >= 0 && digit <= 9) return digit
  return text.trim() === '' ? BLANK : NO_CODE
}

/** Returns 0 unless the text is a number from 1 to the maximum. */
function parseWithin(text: string | undefined, highest: number): number {
  const number = parseDigits(text)
  return number >= 1 && number <= highest ? number : 0
}
