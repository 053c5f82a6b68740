/**
 * Returns the probability that a chi-square variable exceeds a value. This is the regularised upper incomplete
 * gamma function at half of each argument. For integer degrees of freedom it is a finite sum of positive terms
 * (Abramowitz and Stegun 26.4.4 and 26.4.5), so small probabilities are accurate.
 * @param value value of the statistic, at least 0
 * @param degrees degrees of freedom, an integer of at least 1
 */
export function chiSquareUpperTail(value: number, degrees: number): number {
  const half = value / 2
  if (half === 0) return 1
  if (half === Number.POSITIVE_INFINITY) return 0
  if (degrees % 2 === 0) return scaledSum(half, { first: 1, from: 1, to: degrees / 2 })
  const terms = { first: Math.sqrt(half / Math.PI) * 2, from: 1.5, to: degrees / 2 }
  return normalTail(half) + (degrees === 1 ? 0 : scaledSum(half, terms))
}

/** Terms of a series. Each is the previous term times `half / shape`, for shapes below `to`. */
interface Terms {
  readonly first: number
  readonly from: number
  readonly to: number
}

/** A partial sum that exceeds this is multiplied by e^-PART, which is then left out of the final factor. */
const LARGE = 1e250
const PART = 500

/** Returns e^-half times the sum of the series, in several factors to avoid overflow and underflow. */
function scaledSum(half: number, { first, from, to }: Terms): number {
  let term = first
  let sum = first
  let left = half
  for (let shape = from; shape < to; shape++) {
    term *= half / shape
    sum += term
    if (sum <= LARGE || left <= PART) continue
    const scale = Math.exp(-PART)
    term *= scale
    sum *= scale
    left -= PART
  }
  const root = Math.exp(-left / 2)
  return root * sum * root
}

/** From this value on, the continued fraction converges fast. Below it, 1 minus the series is accurate. */
const MIDDLE = 1.5

/** Returns both tails of the normal distribution, which equal chi-square's tail with one degree of freedom. */
function normalTail(half: number): number {
  return half < MIDDLE ? 1 - lowerSeries(half) : upperFraction(half)
}

/** Returns the regularised lower incomplete gamma function with shape 1/2 (26.4.6) by a positive series. */
function lowerSeries(half: number): number {
  let term = 2 * Math.sqrt(half / Math.PI)
  let sum = term
  for (let shape = 1.5; term > sum * Number.EPSILON; shape++) {
    term *= half / shape
    sum += term
  }
  return sum * Math.exp(-half)
}

/**
 * Returns the regularised upper incomplete gamma function with shape 1/2, as a continued fraction by Lentz's
 * method (Abramowitz and Stegun 26.4.10).
 */
function upperFraction(half: number): number {
  let b = half + 0.5
  let c = Number.POSITIVE_INFINITY
  let d = 1 / b
  let fraction = d
  for (let i = 1; i < 1000; i++) {
    const a = -i * (i - 0.5)
    b += 2
    d = 1 / (a * d + b)
    c = b + a / c
    fraction *= c * d
    if (Math.abs(c * d - 1) < Number.EPSILON) break
  }
  const root = Math.exp(-half / 2)
  return root * (fraction * Math.sqrt(half / Math.PI)) * root
}
