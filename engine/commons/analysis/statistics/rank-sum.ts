import { chiSquareUpperTail } from './chi-square.ts'

/** Numbers in ascending order. */
type SortedNumbers = Uint32Array | Float64Array

interface RankSum {
  /** Mann-Whitney U: number of pairs with the greater value in the first group, plus half of the ties. */
  readonly statistic: number
  /** Two-sided p-value. NaN if a group is empty or all values are equal. */
  readonly pValue: number
  readonly isExact: boolean
}

/** Group size from which the normal approximation is used. */
const NORMAL_FROM = 50

/**
 * Wilcoxon's rank-sum test of two groups of ascending values, with the same results as R's `wilcox.test`. It is
 * exact if both groups have fewer than 50 values and there are no ties. Otherwise it uses the normal
 * approximation, corrected for ties and continuity (Hollander and Wolfe, Nonparametric Statistical Methods,
 * 4.1).
 */
export function rankSumTest(
  first: SortedNumbers,
  second: SortedNumbers,
  exact: ExactTails,
): RankSum {
  const [m, n] = [first.length, second.length]
  const { statistic, ties } = comparePairs(first, second)
  if (m === 0 || n === 0) return { statistic, pValue: Number.NaN, isExact: false }
  if (ties === 0 && m < NORMAL_FROM && n < NORMAL_FROM) {
    const lower = exact.lowerTail(m, n, Math.min(statistic, m * n - statistic))
    return { statistic, pValue: Math.min(1, 2 * lower), isExact: true }
  }
  const all = m + n
  const variance = ((m * n) / 12) * (all + 1 - ties / (all * (all - 1)))
  const distance = Math.abs(statistic - (m * n) / 2)
  const z = Math.max(0, distance - 0.5) / Math.sqrt(variance)
  return { statistic, pValue: z >= 0 ? chiSquareUpperTail(z * z, 1) : Number.NaN, isExact: false }
}

/** Returns the test statistic, and the sum of t^3 - t over the sizes t of groups of tied values. */
function comparePairs(first: SortedNumbers, second: SortedNumbers) {
  let statistic = 0
  let ties = 0
  let i = 0
  let j = 0
  while (i < first.length || j < second.length) {
    const value = Math.min(
      first[i] ?? Number.POSITIVE_INFINITY,
      second[j] ?? Number.POSITIVE_INFINITY,
    )
    const [beganAt, below] = [i, j]
    while (i < first.length && first[i] === value) i++
    while (j < second.length && second[j] === value) j++
    const [mine, equal] = [i - beganAt, j - below]
    statistic += mine * (below + equal / 2)
    const size = mine + equal
    ties += size ** 3 - size
  }
  return { statistic, ties }
}

/** Exact distributions of the test statistic under the null hypothesis, cached by group sizes. */
export class ExactTails {
  readonly #known = new Map<number, Float64Array>()

  /** Returns the probability that the statistic is at most `value`. Both group sizes, m and n, must be below 50. */
  lowerTail(m: number, n: number, value: number): number {
    const key = Math.min(m, n) * NORMAL_FROM + Math.max(m, n)
    const known = this.#known.get(key) ?? lowerTails(Math.min(m, n), Math.max(m, n))
    this.#known.set(key, known)
    return known[value]!
  }
}

/**
 * Returns the cumulative distribution of the statistic. The greatest of m + n values is in the first group with
 * probability m / (m + n). In that case, it adds n to the statistic of the other values. All terms are positive,
 * so small probabilities are accurate.
 */
function lowerTails(m: number, n: number): Float64Array {
  // Distributions for the current size `a` of the first group, indexed by the size of the second.
  let rows = Array.from({ length: n + 1 }, () => Float64Array.of(1))
  for (let a = 1; a <= m; a++) {
    const next = [Float64Array.of(1)]
    for (let b = 1; b <= n; b++) {
      const chances = new Float64Array(a * b + 1)
      const [withFirst, withSecond] = [rows[b]!, next[b - 1]!]
      const share = a / (a + b)
      for (let u = 0; u < withFirst.length; u++) chances[u + b] = share * withFirst[u]!
      for (let u = 0; u < withSecond.length; u++) chances[u]! += (1 - share) * withSecond[u]!
      next.push(chances)
    }
    rows = next
  }
  const tails = rows[n]!
  for (let u = 1; u < tails.length; u++) tails[u]! += tails[u - 1]!
  return tails
}
