import type { FieldPath, Step } from '../datasets/field-path.ts'
import { bitmapsKey, columnKey, indexKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { idColumnOf } from './pinned-set.ts'
import type { Query } from './query.ts'

/** Returns the keys of all arrays that a query may read. A release does not always have all of them. */
export function keysOf(query: Query): ArrayKey[] {
  const { filter, facets, sort } = query
  const counted = facets.map(({ field }) => field)
  const sorted = sort.map(({ field }) => field)
  const fields = new Map([...counted, ...sorted].map((field) => [field.path, field]))
  const bitmaps = counted.map(({ column }) => bitmapsKey(column.dataset, column.path))
  const own = [...fields.values()].flatMap(keysOfField)
  return [...new Set([...keysOfFilter(filter), ...own, ...bitmaps])]
}

/** Returns the keys of all arrays that a filter may read. */
export function keysOfFilter(filter: Filter | undefined): ArrayKey[] {
  // Thousands of conditions may share a few fields, so each field is handled once.
  const byPath = new Map(filter && leafFields(filter).map((field) => [field.path, field]))
  const fields = [...byPath.values()]
  const bitmaps = fields.map(({ column }) => bitmapsKey(column.dataset, column.path))
  const sets = filter ? leavesOf(filter).flatMap((leaf) => leaf.sets ?? []) : []
  const ids = sets.map((key) => {
    const { dataset, path } = idColumnOf(key)
    return columnKey(dataset, path)
  })
  return [...new Set([...fields.flatMap(keysOfField), ...bitmaps, ...sets, ...ids])]
}

export const leavesOf = (filter: Filter): readonly Leaf[] =>
  filter.kind === 'leaf' ? [filter] : filter.parts.flatMap(leavesOf)

export const leafFields = (filter: Filter): readonly FieldPath[] =>
  leavesOf(filter).map(({ field }) => field)

/** Returns the keys of the arrays on a field's path, with its index but without its bitmaps. */
export function keysOfField({ steps, column, region }: FieldPath): readonly ArrayKey[] {
  const paths = [column.path, ...(region ? [region.start, region.end] : [])]
  const columns = paths.map((path) => columnKey(column.dataset, path))
  return [...steps.flatMap(keysOfStep), ...columns, indexKey(column.dataset, column.path)]
}

/** Returns the keys of the arrays that a step reads. */
export function keysOfStep(step: Step): readonly ArrayKey[] {
  if (step.kind === 'level') return [levelKey(step.dataset, step.level)]
  if (step.kind === 'link') return [linkKey(step.dataset, step.at)]
  // The link may be inside an array of objects, or inside nested arrays.
  const names = step.through.split('.')
  const levels = names.map((_, i) => levelKey(step.target, names.slice(0, i + 1).join('.')))
  return [linkKey(step.target, step.through), ...levels]
}
