import type { Filter, Leaf } from '../query/filter.ts'

export const leavesOf = (filter: Filter): readonly Leaf[] =>
  filter.kind === 'leaf' ? [filter] : filter.parts.flatMap(leavesOf)
