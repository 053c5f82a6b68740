import type { Tumour } from '../../../engine/registry/multiple-primaries/tumour.ts'

// Tumours and their dates as multiple-primaries.md 2 and 4.1 tell of them, with texts and Date objects. It is
// written apart from the engine and shares nothing with it but the shape of the JSON.

export interface NaiveTumour {
  readonly site: string
  /** The first three characters of the site. */
  readonly part: string
  readonly histology: string
  readonly behavior: string
  /** `8500/3` */
  readonly code: string
  readonly side: string
  readonly year: number | undefined
  readonly month: number | undefined
  readonly day: number | undefined
}

const isHistology = (text = '') =>
  /^\d+$/.test(text) && Number(text) >= 8000 && Number(text) <= 9999
const isBehavior = (text = '') => /^[01236]$/.test(text)

export function readTumour(tumour: Tumour, yearNow: number): NaiveTumour {
  const { primary_site: site = '', laterality: side = '' } = tumour
  const year = yearOf(tumour, yearNow)
  const isOld = (year ?? 9999) < 2001
  const useOldHistology = isOld && isHistology(tumour.histology_icd_o2)
  const useOldBehavior = isOld && isBehavior(tumour.behavior_icd_o2)
  const histology = (useOldHistology ? tumour.histology_icd_o2 : tumour.histology_icd_o3) ?? ''
  const behavior = (useOldBehavior ? tumour.behavior_icd_o2 : tumour.behavior_icd_o3) ?? ''
  const month = within(tumour.date_of_diagnosis_month, 12)
  const days = month && year !== undefined ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0
  return {
    site,
    side,
    histology,
    behavior,
    part: site.slice(0, 3),
    code: `${histology}/${behavior}`,
    year,
    month,
    day: within(tumour.date_of_diagnosis_day, days),
  }
}

export function isValid({ site, histology, behavior, year }: NaiveTumour): boolean {
  const isSite = /^C\d{3}$/.test(site) && site !== 'C809'
  return isSite && isHistology(histology) && isBehavior(behavior) && year !== undefined
}

function yearOf({ date_of_diagnosis_year: text = '' }: Tumour, yearNow: number) {
  return /^\d+$/.test(text) && Number(text) <= yearNow ? Number(text) : undefined
}

function within(text = '', most: number): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= most ? number : undefined
}

/** Which of the two is the later one, if that can be told. */
type Order = 'UNKNOWN' | 'EQUAL' | 'first' | 'second'

export function orderOf(a: NaiveTumour, b: NaiveTumour): Order {
  for (const unit of ['year', 'month', 'day'] as const) {
    const [one, other] = [a[unit], b[unit]]
    if (one === undefined || other === undefined) return 'UNKNOWN'
    if (one !== other) return one > other ? 'first' : 'second'
  }
  return 'EQUAL'
}

type Distance = 'UNKNOWN' | 'WITHIN' | 'APART'

/** Whether the diagnoses are at most so many days apart. */
export function daysApart(a: NaiveTumour, b: NaiveTumour, days: number): Distance {
  const order = orderOf(a, b)
  if (order === 'EQUAL') return 'WITHIN'
  if (a.year === undefined || b.year === undefined) return 'UNKNOWN'
  const [earlier, later] = order === 'second' ? [a, b] : [b, a]
  const least = daysBetween(lastDate(earlier), firstDate(later))
  const most = daysBetween(firstDate(earlier), lastDate(later))
  if (order === 'UNKNOWN') {
    return Math.max(Math.abs(least), Math.abs(most)) <= days ? 'WITHIN' : 'UNKNOWN'
  }
  if (least > days) return 'APART'
  return most <= days ? 'WITHIN' : 'UNKNOWN'
}

/** Whether they are so many whole years apart. */
export function yearsApart(a: NaiveTumour, b: NaiveTumour, years: number): Distance {
  if (a.year === undefined || b.year === undefined) return 'UNKNOWN'
  const apart = Math.abs(a.year - b.year)
  if (apart !== years) return apart > years ? 'APART' : 'WITHIN'
  const [earlier, later] = a.year < b.year ? [a, b] : [b, a]
  for (const unit of ['month', 'day'] as const) {
    const [one, other] = [earlier[unit], later[unit]]
    if (one === undefined || other === undefined) return 'UNKNOWN'
    if (one !== other) return other > one ? 'APART' : 'WITHIN'
  }
  return 'APART'
}

const DAY_MILLISECONDS = 86_400_000

function daysBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / DAY_MILLISECONDS)
}

function firstDate({ year = 0, month = 1, day = 1 }: NaiveTumour): Date {
  return new Date(Date.UTC(year, month - 1, day))
}

function lastDate({ year = 0, month, day }: NaiveTumour): Date {
  if (month === undefined) return new Date(Date.UTC(year, 11, 31))
  return day === undefined
    ? new Date(Date.UTC(year, month, 0))
    : new Date(Date.UTC(year, month - 1, day))
}
