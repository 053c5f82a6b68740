import { diagnosisOf } from './diagnosis.ts'
import type { Tumour } from './tumour.ts'

/** Unknown parts of a date sort after all known ones. */
const UNKNOWN = Number.POSITIVE_INFINITY

/**
 * Returns the indexes of the tumors in order of diagnosis. Unknown or invalid parts of a date
 * (multiple-primaries.md 4.1) sort last, and equal dates keep their order.
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

/** Returns year, month and day for comparison. */
function dateOf(tumour: Tumour, yearNow: number): readonly number[] {
  const { year, month, day } = diagnosisOf(tumour, yearNow)
  if (year < 0) return [UNKNOWN]
  return [year, month || UNKNOWN, day || UNKNOWN]
}
