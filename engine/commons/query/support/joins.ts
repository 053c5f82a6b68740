import type { ReleaseArrays } from '../../release/loaded.ts'
import { type Joins, joinField } from '../joined.ts'
import { leafFields } from '../keys.ts'
import type { Query } from '../query.ts'

/** Joins all fields of a query that can be joined, like `JoinedFields` does by jobs. */
export function joinsOf({ dataset, filter, facets }: Query, arrays: ReleaseArrays): Joins {
  const asked = [...(filter ? leafFields(filter) : []), ...facets.map(({ field }) => field)]
  const fields = asked.filter(({ steps, region }) => steps.length > 0 && !region)
  const joins = fields.map((field) => [field.path, joinField(dataset, field, arrays)] as const)
  return new Map(joins.filter(([, { numbers }]) => numbers))
}
