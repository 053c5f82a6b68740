/**
 * The probability that a chi-square variable exceeds a value: the regularised upper incomplete gamma
 * function at half of both. Since degrees of freedom are whole, that is a finite sum of positive
 * terms (Abramowitz and Stegun 26.4.4 and 26.4.5), so that small probabilities are as exact as others.
 * @param value at least 0
 * @param degrees of freedom, a whole number from 1
 */
export function chiSquareUpperTail(value: number, degrees: number): number {
  const half = value / 2
  if (half === 0) return 1
  if (half === Number.POSITIVE_INFINITY) return 0
  if (degrees % 2 === 0) return scaledSum(half, { first: 1, from: 1, to: degrees / 2 })
  const terms = { first: Math.sqrt(half / Math.PI) * 2, from: 1.5, to: degrees / 2 }
  return normalTail(half) + (degrees === 1 ? 0 : scaledSum(half, terms))
}

/** Terms that are added, each `half / shape` times the one before; `to` is not reached. */
interface Terms {
  readonly first: number
  readonly from: number
  readonly to: number
}

/** So large sums are made smaller by part of what is left of the exponent. */
const LARGE = 1e250
const PART = 500

/** e^-half times the sum; the exponential is multiplied in by parts, for neither may leave doubles. */
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

/** Beyond this the fraction needs few steps, and before it nothing is lost by taking from 1. */
const MIDDLE = 1.5

/** Both tails of the normal distribution: chi-square with one degree, of the value `2 * half`. */
function normalTail(half: number): number {
  return half < MIDDLE ? 1 - lowerSeries(half) : upperFraction(half)
}

/** Regularised lower incomplete gamma of shape 1/2 (26.4.6): all terms are positive. */
function lowerSeries(half: number): number {
  let term = 2 * Math.sqrt(half / Math.PI)
  let sum = term
  for (let shape = 1.5; term > sum * Number.EPSILON; shape++) {
    term *= half / shape
    sum += term
  }
  return sum * Math.exp(-half)
}

/** Regularised upper incomplete gamma of shape 1/2, as a continued fraction after Lentz (26.4.10). */
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
