import type { FieldPath, Step } from '../datasets/field-path.ts'
import { bitmapsKey, columnKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import type { Query } from './query.ts'

/** Names of all arrays that answering a query may look at; some may not be in a release. */
export function keysOf(query: Query): ArrayKey[] {
  const { filter, facets, sort } = query
  const counted = facets.map(({ field }) => field)
  const sorted = sort.map(({ field }) => field)
  const fields = new Map([...counted, ...sorted].map((field) => [field.path, field]))
  const bitmaps = counted.map(({ column }) => bitmapsKey(column.dataset, column.path))
  const own = [...fields.values()].flatMap(keysOfField)
  return [...new Set([...keysOfFilter(filter), ...own, ...bitmaps])]
}

/** Names of all arrays that rows of a filter are found with. */
export function keysOfFilter(filter: Filter | undefined): ArrayKey[] {
  // Thousands of conditions name a few fields.
  const byPath = new Map(filter && leafFields(filter).map((field) => [field.path, field]))
  const fields = [...byPath.values()]
  const bitmaps = fields.map(({ column }) => bitmapsKey(column.dataset, column.path))
  const sets = filter ? leavesOf(filter).flatMap((leaf) => leaf.sets ?? []) : []
  return [...new Set([...fields.flatMap(keysOfField), ...bitmaps, ...sets])]
}

export const leavesOf = (filter: Filter): readonly Leaf[] =>
  filter.kind === 'leaf' ? [filter] : filter.parts.flatMap(leavesOf)

export const leafFields = (filter: Filter): readonly FieldPath[] =>
  leavesOf(filter).map(({ field }) => field)

/** Names of the arrays on the way of a field, without bitmaps. */
export function keysOfField({ steps, column, region }: FieldPath): readonly ArrayKey[] {
  const paths = [column.path, ...(region ? [region.start, region.end] : [])]
  return [...steps.flatMap(keysOfStep), ...paths.map((path) => columnKey(column.dataset, path))]
}

function keysOfStep(step: Step): readonly ArrayKey[] {
  if (step.kind === 'level') return [levelKey(step.dataset, step.level)]
  if (step.kind === 'link') return [linkKey(step.dataset, step.at)]
  // The link may be in an array of objects, or in one within another.
  const names = step.through.split('.')
  const levels = names.map((_, i) => levelKey(step.target, names.slice(0, i + 1).join('.')))
  return [linkKey(step.target, step.through), ...levels]
}
