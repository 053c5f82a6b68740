import { chiSquareUpperTail } from './chi-square.ts'
import { crossingOf } from './crossing.ts'
import { logGammaOfHalf } from './log-gamma.ts'

/** Weights of the mixture below this fraction of the largest are left out. */
const LEAST_WEIGHT = 1e-18

/**
 * Returns the probability that a noncentral chi-square variable exceeds a value: a mixture of central ones by a
 * Poisson distribution with half of the noncentrality (Johnson, Kotz and Balakrishnan, chapter 29).
 * @param degrees degrees of freedom, an integer of at least 1
 */
export function noncentralUpperTail(value: number, degrees: number, noncentrality: number): number {
  if (noncentrality === 0) return chiSquareUpperTail(value, degrees)
  const mean = noncentrality / 2
  const half = value / 2
  const middle = Math.floor(mean)
  const tail = chiSquareUpperTail(value, degrees + 2 * middle)
  // Difference between the tails of two more degrees of freedom: half^shape e^-half / gamma(shape + 1).
  const shape = degrees / 2 + middle
  const step = Math.exp(shape * Math.log(half) - half - logGammaOfHalf(degrees + 2 * middle + 2))
  const weight = Math.exp(middle * Math.log(mean) - mean - logGammaOfHalf(2 * middle + 2))
  let sum = weight * tail
  let [w, t, s] = [weight, tail, step]
  for (let j = middle + 1; w > weight * LEAST_WEIGHT; j++) {
    w *= mean / j
    t += s
    s *= half / (degrees / 2 + j)
    sum += w * Math.min(1, t)
  }
  ;[w, t, s] = [weight, tail, step]
  for (let j = middle; j > 0 && w > weight * LEAST_WEIGHT; j--) {
    w *= j / mean
    s *= (degrees / 2 + j) / half
    t -= s
    sum += w * Math.max(0, t)
  }
  return Math.min(1, sum)
}

/**
 * Returns the 95 % confidence interval of the noncentrality of a chi-square statistic. A limit is 0 if even the
 * central distribution makes the statistic that likely.
 */
export function noncentralities(
  statistic: number,
  degrees: number,
): { readonly lower: number; readonly upper: number } {
  const limit = (tail: number) => {
    const excess = (noncentrality: number) =>
      noncentralUpperTail(statistic, degrees, noncentrality) - tail
    if (statistic === 0 || excess(0) >= 0) return 0
    let high = Math.max(1, statistic)
    while (excess(high) < 0) high *= 2
    return crossingOf(excess, 0, high)
  }
  return { lower: limit(0.025), upper: limit(0.975) }
}
