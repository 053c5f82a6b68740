import type { Scratch } from '../../../shared/executor.ts'
import { exactLog } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixValues } from './matrix-format.ts'
import { middleValues } from './middle-values.ts'

/** Units of expression values in requests (data-commons.md 6.3). */
export const UNITS = ['uqfpkm', 'median_centered_log2_uqfpkm'] as const
export type ExpressionUnit = (typeof UNITS)[number]

/** Converts the values of a row to a unit. Missing values become NaN. */
export function unitValues(
  row: MatrixValues,
  unit: ExpressionUnit,
  scratch: Scratch,
): Float64Array<ArrayBuffer> {
  const values = new Float64Array(row.length)
  const middle = unit === 'uqfpkm' ? 0 : medianLog(row, scratch)
  for (let i = 0; i < row.length; i++) {
    const stored = row[i]!
    if (row instanceof Uint32Array && stored === ABSENT) values[i] = Number.NaN
    else if (unit !== 'uqfpkm') values[i] = logIn(row, stored) - middle
    else values[i] = row instanceof Uint32Array ? stored / FIXED_SCALE : stored
  }
  return values
}

/** Returns the median of log2(value + 1) over a row, or NaN without values. */
export function medianLog(row: MatrixValues, scratch: Scratch): number {
  const { lower, upper } = middleValues(row, scratch)
  return (logIn(row, lower) + logIn(row, upper)) / 2
}

/** Returns whether a stored value stands for a missing one. */
export const isAbsent = (row: MatrixValues, stored: number): boolean =>
  row instanceof Uint32Array ? stored === ABSENT : Number.isNaN(stored)

/** Returns log2(value + 1) of a stored value. */
export function logIn(row: MatrixValues, stored: number): number {
  return row instanceof Uint32Array ? exactLog(stored) : Math.log2(stored + 1)
}
