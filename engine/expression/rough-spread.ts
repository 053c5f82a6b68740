import { LOG_SCALE, MOST_FAST, ROUGH_LOG_ERROR, roughLog } from './log-table.ts'
import { ABSENT, FIXED_SCALE } from './matrix-format.ts'

/**
 * How far roughSpreadOf may be from the deviation. A deviation changes by no more than the root of
 * the mean square of what its values change by; and squares are summed in one pass, which leaves an
 * error of up to 1e-9 in a variance, whose root is added.
 */
export const ROUGH_SPREAD_ERROR = ROUGH_LOG_ERROR + Math.sqrt(1e-9)

/** About the population standard deviation of log2(value + 1) over what a row has; NaN of nothing. */
export function roughSpreadOf(row: Uint32Array): number {
  let count = 0
  let sum = 0
  let squares = 0
  let origin = Number.NaN
  for (let i = 0; i < row.length; i++) {
    const value = row[i] as number
    if (value === ABSENT) continue
    const log =
      value <= MOST_FAST ? roughLog(value) : Math.log2(value / FIXED_SCALE + 1) + LOG_SCALE
    // Sums of small numbers lose little.
    if (count === 0) origin = log
    const difference = log - origin
    count++
    sum += difference
    squares += difference * difference
  }
  const mean = sum / count
  return Math.sqrt(Math.max(squares / count - mean * mean, 0))
}
