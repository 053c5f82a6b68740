import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { type Bits, countBits, fullBits, intersect, invert, membersOf } from './bitset.ts'
import { countCodes, countElements, countLists } from './histogram.ts'
import { preimage } from './relation.ts'
import type { Selection } from './select.ts'
import { directOf, type Source, sourceOf } from './source.ts'
import { walk } from './walk.ts'
import type { LevelMove } from './way.ts'

/** How many of some rows have each value of a field. */
export interface Tally {
  readonly column: Source['column'] | undefined
  /** By code, each row once. At 0 the rows that lack the field (contract 3.4). */
  readonly counts: Uint32Array
}

/** Counts rows by the values that they reach. */
export function tallyRows(field: FieldPath, rows: Selection, arrays: ReleaseArrays): Tally {
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column) {
    const lacking = source.outer ? countReaching(source.outer, rows) : 0
    return { column: undefined, counts: Uint32Array.of(lacking) }
  }
  const { column, isOwn } = source
  if (!isOwn) return { column, counts: countRows(source, rows) }
  const all = ownCounts(source)
  if (!rows.bits) return { column, counts: all }
  if (rows.count * 2 <= rows.size) return { column, counts: countRows(source, rows) }
  // Fewer are left out than are counted.
  const bits = invert(rows.bits.slice(), rows.size)
  const counts = countRows(source, { size: rows.size, count: rows.size - rows.count, bits })
  for (let code = 0; code < counts.length; code++) {
    counts[code] = (all[code] as number) - (counts[code] as number)
  }
  return { column, counts }
}

export const bitsOf = ({ bits, size }: Selection): Bits => bits ?? fullBits(size)

/** The counts that the column keeps of all rows. */
function ownCounts({ column }: Source): Uint32Array {
  const { counts, layout } = column
  return layout.identity ? new Uint32Array(layout.distinct + 1).fill(1, 1) : counts
}

/** Rows that have an element at all. */
function countReaching(way: Source['outer'], rows: Selection): number {
  if (way.moves.length === 0) return rows.count
  const reaching = preimage(way, rows.size, fullBits(way.size))
  return countBits(rows.bits ? intersect(reaching, rows.bits) : reaching)
}

function countRows(source: Source, rows: Selection): Uint32Array {
  const { column, outer, inner } = source
  const { distinct } = column.layout
  if (column.codes && column.offsets && outer.moves.length + inner.moves.length === 0) {
    return countLists(column.codes, column.offsets, bitsOf(rows), distinct)
  }
  const direct = directOf(source, rows.size, budgetOf(rows.count))
  if (!direct) return countWalking(source, membersOf(bitsOf(rows), 0, rows.count))
  const { levels, lookup } = direct
  if (levels.length === 0) return countCodes(lookup, rows.bits, distinct)
  const isBound = outer.moves.length > 0
  return countElements(offsetsOver(levels), lookup, bitsOf(rows), { distinct, isBound })
}

/** From rows to the elements of the last of some levels. */
function offsetsOver([first, ...deeper]: readonly LevelMove[]): Uint32Array {
  let offsets = first?.offsets ?? new Uint32Array(0)
  for (const level of deeper) offsets = followed(level.offsets, offsets)
  return offsets
}

function followed(offsets: Uint32Array, from: Uint32Array): Uint32Array {
  const further = new Uint32Array(from.length)
  for (let i = 0; i < from.length; i++) further[i] = offsets[from[i] as number] as number
  return further
}

/** Steps that preparing a pass over so many rows may take. */
export const budgetOf = (count: number): number => 2 * count + 50_000

function countWalking(source: Source, rows: Uint32Array): Uint32Array {
  const { distinct } = source.column.layout
  const counts = new Uint32Array(distinct + 1)
  // The row + 1 that each code was last counted for.
  const seen = new Uint32Array(distinct + 1)
  const count = (code: number, row: number) => {
    if (seen[code] === row + 1) return
    seen[code] = row + 1
    counts[code] = (counts[code] as number) + 1
  }
  walk(source, rows, ({ rows: some, holders, values }) => {
    const has = new Uint8Array(holders.length)
    for (let i = 0; i < values.length; i++) {
      const holder = values.owners[i] as number
      has[holder] = 1
      count(values.members[i] as number, some[holders.owners[holder] as number] as number)
    }
    for (let i = 0; i < holders.length; i++) {
      if (has[i] === 0) count(0, some[holders.owners[i] as number] as number)
    }
  })
  return counts
}
