/**
 * Returns the two-sided p-value of Pearson's correlation under the hypothesis of no correlation, by Student's t
 * distribution. The p-value is the regularised incomplete beta function of 1 - r^2 with parameters (n - 2) / 2
 * and 1/2 (Abramowitz and Stegun 26.5.27), computed by a continued fraction (26.5.8).
 * @param correlation correlation r, from -1 to 1
 * @param pairs number of pairs n, at least 3
 */
export function correlationPValue(correlation: number, pairs: number): number {
  const shape = (pairs - 2) / 2
  const rest = (1 - correlation) * (1 + correlation)
  if (rest <= 0) return 0
  if (correlation === 0) return 1
  const front = rest ** shape * Math.abs(correlation) * inverseBeta(shape)
  // The continued fraction converges fast below the mean. Above the mean, the symmetry of the function is used.
  if (rest < (shape + 1) / (shape + 2.5)) return (front / shape) * betaFraction(rest, shape, 0.5)
  return 1 - (front / 0.5) * betaFraction(correlation ** 2, 0.5, shape)
}

/** Returns 1 / B(shape, 1/2) for a shape that is a multiple of 1/2, by recurrence in steps of 1. */
function inverseBeta(shape: number): number {
  let at = Number.isInteger(shape) ? 1 : 0.5
  let ratio = at === 1 ? 0.5 : 1 / Math.PI
  for (; at < shape; at++) ratio *= (at + 0.5) / at
  return ratio
}

const MAX_STEPS = 10_000

/** Evaluates the continued fraction of the incomplete beta function by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / (1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m < MAX_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + even * d)
    c = 1 + even / c
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + odd * d)
    c = 1 + odd / c
    fraction *= c * d
    if (Math.abs(c * d - 1) < Number.EPSILON) break
  }
  return fraction
}
