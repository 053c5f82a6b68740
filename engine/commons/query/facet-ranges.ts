import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { columnOf } from './facet-histogram.ts'
import type { NumberRange } from './query.ts'
import type { Selection } from './selection.ts'
import { sourceOf } from './source.ts'
import { countRows } from './tally.ts'

/** Ranges that can be counted in one pass, by their places in the list. */
type Pass = readonly number[]

/**
 * How many of some rows have a value in each range, each row once for a range (portal.md 4.4). Ranges that
 * overlap are counted in passes of their own.
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
      const end = firstAtLeast(numbers, to)
      const start = Math.min(firstAtLeast(numbers, from), end)
      places.fill(i + 1, start + 1, end + 1)
    }
    const cut = columnOf(column, { keys: pass.map(String), places })
    const counts = countRows({ ...source, column: cut, isOwn: false }, rows)
    for (const [i, range] of pass.entries()) found[range] = counts[i + 1] ?? 0
  }
  return found
}

/** The ranges in as few groups as can be of which none overlap. */
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

/** Place of the first number that is not below a limit; numbers ascend. */
function firstAtLeast(numbers: Float64Array, limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}
