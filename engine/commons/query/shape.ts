import type { Filter, Leaf } from './filter-tree.ts'

/** Flattens nested `and`s and `or`s. Merges equality conditions on one field of an `or` into one list of values. */
export function normalise(filter: Filter): Filter {
  if (filter.kind === 'leaf') return filter
  const { kind } = filter
  const parts = filter.parts.flatMap((part) => flattened(kind, part)).map(normalise)
  return { ...filter, parts: kind === 'or' ? mergeEqual(parts) : parts }
}

/** Returns the operands of a junction, with nested junctions of the same kind replaced by their operands. */
function flattened(kind: 'and' | 'or', filter: Filter): readonly Filter[] {
  if (filter.kind !== kind || filter.within !== undefined || filter.isFixed) return [filter]
  return filter.parts.flatMap((part) => flattened(kind, part))
}

function mergeEqual(parts: readonly Filter[]): readonly Filter[] {
  const byField = new Map<string, Leaf[]>()
  const others: Filter[] = []
  for (const part of parts) {
    if (part.kind !== 'leaf' || part.op !== 'in') others.push(part)
    else {
      const same = byField.get(part.field.path)
      if (same) same.push(part)
      else byField.set(part.field.path, [part])
    }
  }
  const merged = [...byField.values()].map((same): Leaf => {
    const [first, ...more] = same as [Leaf, ...Leaf[]]
    if (more.length === 0) return first
    const searchedPartCount = same.reduce((sum, one) => sum + one.searchedPartCount, 0)
    const sets = [...new Set(same.flatMap(({ sets: some = [] }) => some))]
    const values = [...new Set(same.flatMap((one) => one.values))]
    return { ...first, values, ...(sets.length > 0 && { sets }), searchedPartCount }
  })
  return [...merged, ...others]
}

/** Joins two conditions by `and`. Undefined means no condition. */
export function joinFilters(one: Filter | undefined, other: Filter | undefined) {
  return one && other ? ({ kind: 'and', parts: [one, other] } as const) : (one ?? other)
}

/** Operators that test for equality or presence. */
const EQUALITY: ReadonlySet<Leaf['op']> = new Set([
  'in',
  'exclude',
  'excludeifany',
  'missing',
  'present',
])

/**
 * Returns the filter for a facet: the request's filter without equality conditions on the facet's own field
 * (data-commons.md 3.4). An operand that becomes empty is dropped (data-commons.md 11.12).
 */
export function withoutChoices(filter: Filter, field: string): Filter | undefined {
  if (filter.kind === 'leaf') {
    return filter.field.path === field && EQUALITY.has(filter.op) ? undefined : filter
  }
  if (filter.isFixed) return filter
  const retained = filter.parts.map((part) => withoutChoices(part, field))
  if (retained.every((part, i) => part === filter.parts[i])) return filter
  const parts = retained.filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : { ...filter, parts }
}
