import { NORMAL_975 } from './normal.ts'
import { correlationPValue } from './student-t.ts'

interface Correlation {
  /** Coefficient from -1 to 1. NaN if either number is equal in all pairs. */
  readonly coefficient: number
  readonly pValue: number
}

interface PearsonCorrelation extends Correlation {
  /** 95 % confidence interval by Fisher's transformation. NaN for fewer than four pairs. */
  readonly lower: number
  readonly upper: number
}

/** Pearson's correlation with Student's test and Fisher's interval, like R's `cor.test`. At least three pairs. */
export function pearson(x: Float64Array, y: Float64Array): PearsonCorrelation {
  const coefficient = coefficientOf(x, y)
  const width = x.length > 3 ? NORMAL_975 / Math.sqrt(x.length - 3) : Number.NaN
  const place = Math.atanh(coefficient)
  return {
    coefficient,
    pValue: pValueOf(coefficient, x.length),
    lower: Math.tanh(place - width),
    upper: Math.tanh(place + width),
  }
}

/** Spearman's rank correlation with Student's test, like R's `cor.test(exact = FALSE)`. At least three pairs. */
export function spearman(x: Float64Array, y: Float64Array): Correlation {
  const coefficient = coefficientOf(ranksOf(x), ranksOf(y))
  return { coefficient, pValue: pValueOf(coefficient, x.length) }
}

const pValueOf = (coefficient: number, pairs: number) =>
  Number.isNaN(coefficient) ? Number.NaN : correlationPValue(coefficient, pairs)

function coefficientOf(x: Float64Array, y: Float64Array): number {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  let [xx, yy, xy] = [0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [x[i]! - meanX, y[i]! - meanY]
    xx += dx * dx
    yy += dy * dy
    xy += dx * dy
  }
  return Math.min(1, Math.max(-1, xy / Math.sqrt(xx * yy)))
}

const meanOf = (values: Float64Array) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the rank of each value from 1, the mean rank for values that are equal. */
function ranksOf(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!)
  const ranks = new Float64Array(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + to + 1) / 2
    from = to
  }
  return ranks
}
