import { chiSquareTest, contingencyTest, withoutEmpty } from '../statistics/contingency.ts'
import { type FourCounts, fisherPValue } from '../statistics/fisher-exact.ts'
import { kruskalWallis } from '../statistics/kruskal-wallis.ts'
import { logOddsRatio } from '../statistics/odds-ratio.ts'
import { type ExactTails, rankSumTest } from '../statistics/rank-sum.ts'
import { superiorityOf } from '../statistics/superiority.ts'
import type { Effect, GroupTest } from './compared-field.ts'

/**
 * Tests whether a category is as frequent in all groups: Fisher's exact test for two groups and two values, else
 * Pearson's chi-square test. Groups and values without cases are left out. Returns null if fewer than two of
 * either remain.
 * @param table one row per group, one column per value
 */
export function testCategories(table: readonly (readonly number[])[]): GroupTest | null {
  const kept = withoutEmpty(table)
  const columns = kept[0]?.length ?? 0
  if (kept.length < 2 || columns < 2) return null
  if (kept.length === 2 && columns === 2) return testFour(kept.flat() as unknown as FourCounts)
  const { statistic, degreesFreedom, pValue, cramersV, lower, upper } = contingencyTest(kept)
  return {
    method: 'chi-square',
    statistic,
    degrees_of_freedom: degreesFreedom,
    p_value: pValue,
    effect: { name: 'cramers_v', value: cramersV, lower_95: lower, upper_95: upper },
  }
}

/**
 * Tests whether the same share of each group has a property: Fisher's exact test for two groups, else Pearson's
 * chi-square test, whose effect has no interval here, as it would take too long for all genes. Groups without cases
 * are left out. Returns null if fewer than two remain, or if all or none of the cases have the property.
 * @param counts of cases with the property, by group; `sizes` are the numbers of cases of the groups
 */
export function testShares(counts: readonly number[], sizes: readonly number[]): GroupTest | null {
  const table = withoutEmpty(counts.map((count, i) => [count, sizes[i]! - count]))
  if (table.length < 2 || table[0]!.length < 2) return null
  if (table.length === 2) return testFour(table.flat() as unknown as FourCounts)
  const { statistic, degreesFreedom, pValue, cramersV } = chiSquareTest(table)
  return {
    method: 'chi-square',
    statistic,
    degrees_of_freedom: degreesFreedom,
    p_value: pValue,
    effect: { name: 'cramers_v', value: cramersV, lower_95: null, upper_95: null },
  }
}

/** Tests a table of two groups and two values. The effect is the ratio of the odds of the first value. */
function testFour(counts: FourCounts): GroupTest {
  const ratio = logOddsRatio(counts)
  const effect: Effect | null = ratio
    ? {
        name: 'odds_ratio',
        value: Math.exp(ratio.value),
        lower_95: Math.exp(ratio.lower),
        upper_95: Math.exp(ratio.upper),
      }
    : null
  const p_value = fisherPValue(counts)
  return { method: 'fisher', statistic: null, degrees_of_freedom: null, p_value, effect }
}

/**
 * Tests whether numbers are as large in all groups: Mann and Whitney's test for two groups, else Kruskal and
 * Wallis's. Groups without numbers are left out. Returns null if fewer than two remain or all numbers are equal.
 * @param groups values in ascending order
 */
export function testNumbers(groups: readonly Float64Array[], exact: ExactTails): GroupTest | null {
  const kept = groups.filter(({ length }) => length > 0)
  const [first, second] = kept
  if (!first || !second) return null
  if (kept.length === 2) return testTwo(first, second, exact)
  const { statistic, degreesFreedom, pValue, epsilonSquared } = kruskalWallis(kept)
  if (Number.isNaN(pValue)) return null
  return {
    method: 'kruskal-wallis',
    statistic,
    degrees_of_freedom: degreesFreedom,
    p_value: pValue,
    effect: { name: 'epsilon_squared', value: epsilonSquared, lower_95: null, upper_95: null },
  }
}

function testTwo(first: Float64Array, second: Float64Array, exact: ExactTails): GroupTest | null {
  const { statistic, pValue, isExact } = rankSumTest(first, second, exact)
  if (Number.isNaN(pValue)) return null
  const { value, lower, upper } = superiorityOf(first, second)
  const limit = (of: number) => (Number.isNaN(of) ? null : of)
  return {
    method: isExact ? 'mann-whitney-exact' : 'mann-whitney',
    statistic,
    degrees_of_freedom: null,
    p_value: pValue,
    effect: {
      name: 'probability_of_superiority',
      value,
      lower_95: limit(lower),
      upper_95: limit(upper),
    },
  }
}
