import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import { type Interval, type Intervals, intervalsOf } from './intervals.ts'
import type { Selection } from './selection.ts'
import { sourceOf } from './source.ts'
import { countRows, tallyRows } from './tally.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Row counts by interval. Entry 0 counts rows without a value, entry i + 1 counts rows in the interval keys[i]. */
interface HistogramTally {
  readonly keys: readonly string[]
  readonly counts: Uint32Array
}

/**
 * Counts rows by the intervals of their values (data-commons.md 11.40). A row counts once per interval.
 * @throws EngineError bad_input for too many intervals
 */
export function tallyIntervals(
  field: FieldPath,
  interval: Interval,
  rows: Selection,
  arrays: ReleaseArrays,
): HistogramTally {
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column) return { keys: [], counts: tallyRows(field, rows, arrays).counts }
  const intervals = intervalsOf(source.column, interval, field.path)
  const column = columnOf(source.column, intervals)
  return { keys: intervals.keys, counts: countRows({ ...source, column, isOwn: false }, rows) }
}

/** Returns a column with the number of an interval in place of each value. It has no counts. */
export function columnOf(
  { codes, offsets, layout, dictionary }: Column,
  intervals: Intervals,
): Column {
  const { keys, places } = intervals
  const given = codes ?? new Uint8Array(0)
  const distinct = keys.length
  const facts = { layout: { ...layout, distinct, bitmapped: false }, dictionary }
  const some: Codes = distinct < 256 ? new Uint8Array(given.length) : new Uint16Array(given.length)
  if (!offsets) {
    for (let i = 0; i < given.length; i++) some[i] = places[given[i]!]!
    return { ...facts, codes: some }
  }
  const ends = new Uint32Array(offsets.length)
  let filled = 0
  for (let element = 0; element + 1 < offsets.length; element++) {
    let last = 0
    for (let i = offsets[element]!; i < offsets[element + 1]!; i++) {
      const place = places[given[i]!]!
      // The values of an element are ascending, so values in the same interval are adjacent.
      if (place !== 0 && place !== last) some[filled++] = place
      if (place !== 0) last = place
    }
    ends[element + 1] = filled
  }
  return { ...facts, codes: some.subarray(0, filled), offsets: ends }
}
