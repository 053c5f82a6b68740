import type { ReleaseArrays } from '../release/loaded.ts'
import { WORD } from './cost.ts'
import { Planner } from './plan.ts'
import type { Query } from './query.ts'
import { normalise } from './shape.ts'

/**
 * A query's cost as the counts of the values that it names give it, in microseconds: when the most
 * selective condition leaves few records, all others are asked of few.
 * @param cost what `costOf` gives without looking at values
 */
export function countedCost(
  { dataset, filter, facets }: Query,
  cost: number,
  arrays: ReleaseArrays,
): number {
  // A facet may be counted without the very condition that leaves few.
  if (!filter || facets.length > 0) return cost
  const units = new Planner(dataset, arrays).plan(normalise(filter))
  const share = units.reduce((least, unit) => Math.min(least, unit.share), 1)
  return Math.min(cost, arrays.rows(dataset) * WORD + cost * share)
}
