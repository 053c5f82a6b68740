import { lowerBound } from '../../shared/arrays/lower-bound.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { columnOf } from './facet-histogram.ts'
import type { NumberRange } from './query.ts'
import type { Selection } from './selection.ts'
import { sourceOf } from './source.ts'
import { countRows } from './tally.ts'

/** Indices of ranges that are counted in one pass, because they do not overlap. */
type Pass = readonly number[]

/**
 * Counts the rows with a value in each range (portal.md 4.4). A row counts once per range. Overlapping ranges
 * are counted in separate passes.
 */
export function tallyRanges(
  field: FieldPath,
  ranges: readonly NumberRange[],
  rows: Selection,
  arrays: ReleaseArrays,
): readonly number[] {
  const found = new Array<number>(ranges.length).fill(0)
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column?.numbers) return found
  const { column } = source
  const { numbers = new Float64Array(0) } = column
  for (const pass of disjointRanges(ranges)) {
    const places = new Uint16Array(column.layout.distinct + 1)
    for (const [i, range] of pass.entries()) {
      const { from = -Infinity, to = Infinity } = ranges[range] ?? {}
      const end = lowerBound(numbers, to)
      const start = Math.min(lowerBound(numbers, from), end)
      places.fill(i + 1, start + 1, end + 1)
    }
    const cut = columnOf(column, { keys: pass.map(String), places })
    const counts = countRows({ ...source, column: cut, isOwn: false }, rows)
    for (const [i, range] of pass.entries()) found[range] = counts[i + 1] ?? 0
  }
  return found
}

/** Groups ranges into the fewest passes in which no two ranges overlap. */
export function disjointRanges(ranges: readonly NumberRange[]): readonly Pass[] {
  const passes: { readonly places: number[]; end: number }[] = []
  const from = (place: number) => ranges[place]?.from ?? -Infinity
  for (const place of [...ranges.keys()].sort((a, b) => from(a) - from(b))) {
    const start = from(place)
    const end = Math.max(ranges[place]?.to ?? Infinity, start)
    const free = passes.find((pass) => pass.end <= start)
    if (!free) passes.push({ places: [place], end })
    else {
      free.places.push(place)
      free.end = end
    }
  }
  return passes.map(({ places }) => places)
}
