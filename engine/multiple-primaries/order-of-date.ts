import type { Tumour } from './tumour.ts'

/** What is not known is taken for later than all that is. */
const UNKNOWN = Number.POSITIVE_INFINITY

/**
 * Places of tumours in order of their diagnoses: what is not known of a date, or is none
 * (mph-rules.md 4.1), comes after what is; equal dates keep their order.
 */
export function inOrderOfDate(tumours: readonly Tumour[], yearNow: number): number[] {
  const dates = tumours.map((tumour) => dateOf(tumour, yearNow))
  return [...tumours.keys()].sort((a, b) => compareDates(dates[a] ?? [], dates[b] ?? []))
}

function compareDates(a: readonly number[], b: readonly number[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i] ?? UNKNOWN
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

/** Year, month and day as numbers. */
function dateOf(tumour: Tumour, yearNow: number): readonly [number, number, number] {
  const year = numberWithin(tumour.date_of_diagnosis_year, 0, yearNow)
  const month = year === UNKNOWN ? UNKNOWN : numberWithin(tumour.date_of_diagnosis_month, 1, 12)
  if (month === UNKNOWN) return [year, UNKNOWN, UNKNOWN]
  return [year, month, numberWithin(tumour.date_of_diagnosis_day, 1, daysOf(year, month))]
}

function numberWithin(text: string | undefined, low: number, high: number): number {
  if (text === undefined || !/^\d+$/.test(text)) return UNKNOWN
  const number = Number(text)
  return number >= low && number <= high ? number : UNKNOWN
}

function daysOf(year: number, month: number): number {
  const day = new Date(Date.UTC(2000, month, 0))
  day.setUTCFullYear(year, month, 0)
  return day.getUTCDate()
}
