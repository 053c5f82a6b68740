import { diagnosisOf } from './diagnosis.ts'
import type { Tumour } from './tumour.ts'

/** What is not known is taken for later than all that is. */
const UNKNOWN = Number.POSITIVE_INFINITY

/**
 * Places of tumours in order of their diagnoses: what is not known of a date, or is none
 * (multiple-primaries.md 4.1), comes after what is; equal dates keep their order.
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
function dateOf(tumour: Tumour, yearNow: number): readonly number[] {
  const { year, month, day } = diagnosisOf(tumour, yearNow)
  if (year < 0) return [UNKNOWN]
  return [year, month || UNKNOWN, day || UNKNOWN]
}
