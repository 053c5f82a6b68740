import { countBits, intersect, invert } from '../../shared/arrays/bitset.ts'
import type { Move } from './join-path.ts'
import { preimage } from './relation.ts'
import { scan } from './scan.ts'
import { bitsOf, type Selection } from './selection.ts'
import type { Source } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Cost of following a list item, relative to skipping it. */
const WALKING = 16

/**
 * Counts rows one value at a time. The rows of each value are found as for a filter, in one pass along the path.
 * Returns undefined if following the path for each row is faster.
 */
export function tallyByValue(source: Source, rows: Selection): Uint32Array | undefined {
  const { column, moves, bound } = source
  const { distinct } = column.layout
  const pass = moves.reduce((sum, { size }) => sum + size, rows.size)
  if ((distinct + 2) * pass > walkedSize(moves, rows) * WALKING) return undefined
  const members = bitsOf(rows)
  const counts = new Uint32Array(distinct + 1)
  const size = moves.at(-1)?.size ?? rows.size
  for (let code = 1; code <= distinct; code++) {
    const holders = scan(column, [code, code + 1], size)
    const reaching = preimage({ moves, size }, rows.size, holders)
    counts[code] = countBits(intersect(reaching, members))
  }
  // The row counts as lacking the field if an element that conditions bind to has no value.
  const outer = joinPathTo(moves.slice(0, bound), rows.size)
  const inner = joinPathTo(moves.slice(bound), outer.size)
  const valued = preimage(inner, outer.size, scan(column, [1, distinct + 1], size))
  const lacking = preimage(outer, rows.size, invert(valued, outer.size))
  counts[0] = countBits(intersect(lacking, members))
  return counts
}

/** Estimates the number of elements reached if the path is followed for each row. */
function walkedSize(moves: readonly Move[], rows: Selection): number {
  let total = 0
  let reached = rows.count
  let before = rows.size
  for (const move of moves) {
    const isList = move.kind === 'level' ? !move.inverse : move.inverse
    const listed = move.kind === 'level' ? move.size : move.reverseElements.length
    if (isList) reached *= listed / Math.max(1, before)
    total += reached
    before = move.size
  }
  return total
}

const joinPathTo = (moves: readonly Move[], start: number) => ({
  moves,
  size: moves.at(-1)?.size ?? start,
})
