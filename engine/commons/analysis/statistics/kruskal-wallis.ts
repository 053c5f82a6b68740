import { chiSquareUpperTail } from './chi-square.ts'

interface RankTest {
  /** H, corrected for ties. NaN if all values are equal. */
  readonly statistic: number
  readonly degreesFreedom: number
  readonly pValue: number
  /** Share of the variance of the ranks that the groups explain, H / (n - 1). */
  readonly epsilonSquared: number
}

/**
 * Kruskal and Wallis's test of several groups by ranks, like R's `kruskal.test`.
 * @param groups at least two, each with values in ascending order
 */
export function kruskalWallis(groups: readonly Float64Array[]): RankTest {
  const places = new Uint32Array(groups.length)
  const rankSums = new Float64Array(groups.length)
  const total = groups.reduce((sum, { length }) => sum + length, 0)
  let ties = 0
  for (let before = 0; before < total; ) {
    let value = Number.POSITIVE_INFINITY
    for (const [i, values] of groups.entries()) {
      value = Math.min(value, values[places[i]!] ?? Number.POSITIVE_INFINITY)
    }
    let size = 0
    const counts = groups.map((values, i) => {
      const from = places[i]!
      while (values[places[i]!] === value) places[i]!++
      size += places[i]! - from
      return places[i]! - from
    })
    const rank = before + (size + 1) / 2
    for (const [i, count] of counts.entries()) rankSums[i]! += count * rank
    ties += size ** 3 - size
    before += size
  }
  // Distances from the mean rank lose fewer digits than the usual sum of squares.
  const between = groups.reduce((sum, { length }, i) => {
    return sum + length * (rankSums[i]! / length - (total + 1) / 2) ** 2
  }, 0)
  const statistic = (12 * between) / (total * (total + 1)) / (1 - ties / (total ** 3 - total))
  const degreesFreedom = groups.length - 1
  const isKnown = statistic >= 0
  return {
    statistic: isKnown ? statistic : Number.NaN,
    degreesFreedom,
    pValue: isKnown ? chiSquareUpperTail(statistic, degreesFreedom) : Number.NaN,
    epsilonSquared: isKnown ? statistic / (total - 1) : Number.NaN,
  }
}
