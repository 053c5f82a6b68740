import type { FourCounts } from './fisher-exact.ts'
import { NORMAL_975 } from './normal.ts'

/** Natural logarithm of an odds ratio, with its 95 % confidence interval. */
interface LogOddsRatio {
  readonly value: number
  readonly lower: number
  readonly upper: number
}

/** Added to all counts if one of them is zero, as otherwise the ratio or its interval would be infinite (Haldane). */
const CORRECTION = 0.5

/**
 * Returns the logarithm of the odds ratio (a d) / (b c), with Woolf's interval, which is symmetric on this scale.
 * Returns undefined if a row or a column has no counts.
 */
export function logOddsRatio(counts: FourCounts): LogOddsRatio | undefined {
  const [a, b, c, d] = counts.includes(0) ? counts.map((count) => count + CORRECTION) : counts
  const [w, x, y, z] = counts
  if (w + x === 0 || y + z === 0 || w + y === 0 || x + z === 0) return undefined
  const value = Math.log((a! * d!) / (b! * c!))
  const width = NORMAL_975 * Math.sqrt(1 / a! + 1 / b! + 1 / c! + 1 / d!)
  return { value, lower: value - width, upper: value + width }
}
