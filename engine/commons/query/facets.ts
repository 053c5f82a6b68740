import { countUp } from '../../shared/arrays/rank-sort.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { isNumberType } from '../release/fold.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { tallyIntervals } from './facet-histogram.ts'
import { tallyRanges } from './facet-ranges.ts'
import type { Interval } from './intervals.ts'
import type { Joins } from './joined.ts'
import type { NumberRange } from './query.ts'
import type { Selection } from './selection.ts'
import { statsOf, summaryOf } from './stats.ts'
import { tallyRows } from './tally.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Returns row counts by interval as fields of a JSON object. */
export function intervalsText(
  field: FieldPath,
  interval: Interval,
  rows: Selection,
  arrays: ReleaseArrays,
): string {
  const { keys, counts } = tallyIntervals(field, interval, rows, arrays)
  const buckets = bucketsText(countUp(1, keys.length), counts, (place) => keys[place - 1] ?? '')
  return `"histogram":{"interval":${JSON.stringify(interval)},${buckets}}`
}

/** Returns the buckets of a text field, or the statistics of a number field, as fields of a JSON object. */
export function valuesText(
  field: FieldPath,
  rows: Selection,
  arrays: ReleaseArrays,
  joins?: Joins,
): string {
  if (isNumberType(field.type)) return `"stats":${JSON.stringify(statsOf(field, rows, arrays))}`
  const { column, counts } = tallyRows(field, rows, arrays, joins)
  // Sorted by count, largest first, then by key in UTF-8 order.
  const codes = column ? byCount(counts) : []
  return bucketsText(codes, counts, (code) => column?.dictionary.text(code) ?? '')
}

/** Returns the moments and quartiles of a number field as a field of a JSON object. */
export function summaryText(field: FieldPath, rows: Selection, arrays: ReleaseArrays): string {
  return `"summary":${JSON.stringify(summaryOf(field, rows, arrays))}`
}

/** Returns the row count of each range, in order, as a field of a JSON object. */
export function rangesText(
  field: FieldPath,
  ranges: readonly NumberRange[],
  rows: Selection,
  arrays: ReleaseArrays,
): string {
  return `"ranges":${JSON.stringify(tallyRanges(field, ranges, rows, arrays))}`
}

/** Returns the buckets with a count above 0 in the given order of codes, and `_missing` last. */
function bucketsText(
  codes: Iterable<number>,
  counts: Uint32Array,
  keyOf: (code: number) => string,
): string {
  const buckets: string[] = []
  for (const code of codes) {
    const count = counts[code]!
    if (count > 0) buckets.push(`{"doc_count":${count},"key":${JSON.stringify(keyOf(code))}}`)
  }
  const missing = counts[0]!
  if (missing > 0) buckets.push(`{"doc_count":${missing},"key":"_missing"}`)
  return `"buckets":[${buckets.join(',')}]`
}

/** Returns the codes with a count above 0, by descending count, then ascending. */
function byCount(counts: Uint32Array): Float64Array {
  let most = 0
  let used = 0
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code]!
    if (count > 0) used++
    if (count > most) most = count
  }
  // For sorting, count and code are combined in one double. Rows times distinct values is far below 2^53.
  const places = new Float64Array(used)
  let filled = 0
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code]!
    if (count > 0) places[filled++] = (most - count) * counts.length + code
  }
  places.sort()
  for (let i = 0; i < used; i++) places[i] = places[i]! % counts.length
  return places
}
