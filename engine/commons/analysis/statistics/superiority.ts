import { NORMAL_975 } from './normal.ts'

/** Probability that a value of the first group exceeds one of the second, ties counted half. */
interface Superiority {
  readonly value: number
  /** 95 % confidence interval by DeLong's variance, limited to 0 and 1. NaN if a group has one value. */
  readonly lower: number
  readonly upper: number
}

/**
 * Returns the probability of superiority, the Mann-Whitney statistic divided by the number of pairs, which is also
 * the area under the curve of a receiver (DeLong, DeLong and Clarke-Pearson 1988).
 * @param first values in ascending order, at least one; `second` likewise
 */
export function superiorityOf(first: Float64Array, second: Float64Array): Superiority {
  const [m, n] = [first.length, second.length]
  const [wins, losses] = [placements(first, second), placements(second, first)]
  const value = meanOf(wins)
  const variance = varianceOf(wins) / m + varianceOf(losses) / n
  const width = NORMAL_975 * Math.sqrt(variance)
  return { value, lower: Math.max(0, value - width), upper: Math.min(1, value + width) }
}

/** Returns for each value the share of the others that are below it, ties counted half. */
function placements(values: Float64Array, others: Float64Array): Float64Array {
  let [below, notAbove] = [0, 0]
  return values.map((value) => {
    while (below < others.length && others[below]! < value) below++
    while (notAbove < others.length && others[notAbove]! <= value) notAbove++
    return (below + notAbove) / 2 / others.length
  })
}

const meanOf = (values: Float64Array) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function varianceOf(values: Float64Array): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}
