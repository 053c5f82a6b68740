import { countBits, fullBits, intersect, invert } from '../../shared/arrays/bitset.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { countsOf, type ReleaseArrays } from '../release/loaded.ts'
import { countByBitmaps } from './bitmap-histogram.ts'
import { countElements } from './element-histogram.ts'
import { countLists, countSelected } from './histogram.ts'
import type { JoinPath } from './join-path.ts'
import { countJoined, type Joins } from './joined.ts'
import { preimage } from './relation.ts'
import { tallyReverse } from './reverse-tally.ts'
import { bitsOf, rowsOf, type Selection } from './selection.ts'
import { directOf, type Source, sourceOf } from './source.ts'
import { tallyTargets } from './target-tally.ts'
import { tallyByValue } from './value-tally.ts'
import { tallyWalking } from './walking-tally.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Row counts by value of a field. */
interface Tally {
  readonly column: Source['column'] | undefined
  /** Row count by code. A row counts once per code. Entry 0 counts rows without the field (data-commons.md 3.4). */
  readonly counts: Uint32Array
}

/** Counts the selected rows by value of a field. */
export function tallyRows(
  field: FieldPath,
  rows: Selection,
  arrays: ReleaseArrays,
  joins?: Joins,
): Tally {
  const joined = joins?.get(field.path)
  const counted = (source: Source, some: Selection) =>
    (joined && countJoined(joined, some, source.column.layout.distinct)) ?? countRows(source, some)
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column) {
    const lacking = source.outer ? countReaching(source.outer, rows) : 0
    return { column: undefined, counts: Uint32Array.of(lacking) }
  }
  const { column, isOwn } = source
  if (!isOwn) return { column, counts: counted(source, rows) }
  const all = ownCounts(source)
  if (rows.count * 2 <= rows.size) return { column, counts: counted(source, rows) }
  if (!rows.bits) return { column, counts: all }
  // If fewer rows are excluded than selected, the excluded rows are subtracted from the counts of all rows.
  const bits = invert(rows.bits.slice(), rows.size)
  const counts = counted(source, { size: rows.size, count: rows.size - rows.count, bits })
  for (let code = 0; code < counts.length; code++) {
    counts[code] = all[code]! - counts[code]!
  }
  return { column, counts }
}

function ownCounts({ column }: Source): Uint32Array {
  const { identity, distinct } = column.layout
  return identity ? new Uint32Array(distinct + 1).fill(1, 1) : countsOf(column)
}

/** Counts the selected rows that have an element at the end of a path. */
function countReaching(joinPath: JoinPath, rows: Selection): number {
  if (joinPath.moves.length === 0) return rows.count
  const reaching = preimage(joinPath, rows.size, fullBits(joinPath.size))
  return countBits(rows.bits ? intersect(reaching, rows.bits) : reaching)
}

/** Counts the selected rows by code of a column, by the cheapest method. */
export function countRows(source: Source, rows: Selection): Uint32Array {
  const { column, moves, bound } = source
  const { distinct } = column.layout
  if (column.codes && column.offsets && moves.length === 0) {
    return countLists(column.codes, column.offsets, bitsOf(rows), distinct)
  }
  if (column.bitmaps && moves.length === 0 && !rows.listed && rows.bits) {
    const members = { members: rows.bits, count: rows.count }
    const counts = countByBitmaps(column.bitmaps, members, distinct)
    if (counts) return counts
  }
  const direct = directOf(source, rows)
  if (direct?.levels.length === 0) return countSelected(direct.lookup, rows, distinct)
  if (direct) {
    const { levels, lookup } = direct
    return countElements(levels, lookup, bitsOf(rows), { distinct, isBound: bound > 0 })
  }
  return (
    tallyReverse(source, rows) ??
    tallyByValue(source, rows) ??
    tallyTargets(source, rows) ??
    tallyWalking(source, rowsOf(rows))
  )
}
