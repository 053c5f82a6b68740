import type { DonorTimes } from './donor-table.ts'
import { logInterval, type SurvivalSteps } from './kaplan-meier.ts'

/** Median survival in days. A number is null if its curve does not fall to a half. */
interface MedianSurvival {
  readonly days: number | null
  /** 95 % confidence interval: where the limits of the curve's interval fall to a half. */
  readonly lower: number | null
  readonly upper: number | null
}

/** Values this close to a half count as a half, as in R's package survival. */
const TOLERANCE = Math.sqrt(Number.EPSILON)

/**
 * Returns the median survival with the interval of R's `survfit(conf.type = "log")`: the first day on which the
 * curve is at most a half, or the middle between it and the day of the next drop if the curve is then a half.
 * @param members donors of the curve, indices in the table, ascending
 */
export function medianSurvival(
  { ends, survival, variance }: SurvivalSteps,
  members: Uint32Array,
  { times }: Pick<DonorTimes, 'times'>,
): MedianSurvival {
  const timeOf = (step: number) => times[members[ends[step]! - 1]!]!
  const firstHalf = (heightOf: (step: number) => number | undefined): number | null => {
    let at: { readonly step: number; readonly value: number } | undefined
    for (let step = 0; step < ends.length; step++) {
      const value = heightOf(step)
      if (value === undefined || !(value < 0.5 + TOLERANCE)) continue
      if (!at) {
        at = { step, value }
        if (Math.abs(value - 0.5) >= TOLERANCE) break
      } else if (value < at.value) return (timeOf(at.step) + timeOf(step)) / 2
    }
    return at ? timeOf(at.step) : null
  }
  const intervalAt = (step: number) => logInterval(survival[step]!, variance[step]!)
  return {
    days: firstHalf((step) => survival[step]),
    lower: firstHalf((step) => intervalAt(step)?.lower),
    upper: firstHalf((step) => intervalAt(step)?.upper),
  }
}
