import type { ReleaseArrays } from '../release/loaded.ts'
import { Planner } from './plan.ts'
import type { Query } from './query.ts'
import { normalise } from './shape.ts'

/**
 * At most this part of the records, 0 to 1, passes a query's filter: told from the counts of the
 * values that it names, in microseconds.
 */
export function shareOf({ dataset, filter }: Query, arrays: ReleaseArrays): number {
  if (!filter) return 1
  const units = new Planner(dataset, arrays).plan(normalise(filter))
  return units.reduce((least, { share }) => Math.min(least, share), 1)
}
