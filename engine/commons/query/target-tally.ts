import { type Bits, countBits, membersOf, newBits, setBit } from '../../shared/arrays/bitset.ts'
import { countCodes } from './histogram.ts'
import { bitsOf, type Selection } from './selection.ts'
import { leadingLevels, offsetsOver, type Source } from './source.ts'
import { tallyWalking } from './walking-tally.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Counting by linked record is faster from this many rows per record. */
const ROWS_PER_TARGET = 0.25

/**
 * Counts rows by values of the records that they link to, such as files by values of their case. The values of a
 * record are counted once, weighted by the number of its rows. Returns undefined for other kinds of paths.
 */
export function tallyTargets(source: Source, rows: Selection): Uint32Array | undefined {
  const { moves, bound } = source
  const levels = leadingLevels(moves)
  const link = moves[levels.length]
  if (link?.kind !== 'link' || link.inverse) return undefined
  if (bound !== 0 && bound < levels.length) return undefined
  if (rows.count < link.size * ROWS_PER_TARGET) return undefined

  const others = newBits(rows.size)
  const naming =
    levels.length === 0
      ? countCodes({ codes: link.targets }, rows.bits, link.size)
      : countNaming(offsetsOver(levels), link, bitsOf(rows), others)
  const rest = moves.slice(levels.length + 1)
  const beyond = { ...source, moves: rest, bound: Math.max(0, bound - levels.length - 1) }
  const weights = naming.subarray(1)
  const counts = tallyWalking(beyond, placesOf(weights), weights)
  // A row without a linked record lacks the field, unless conditions bind to elements of that record.
  if (bound <= levels.length) counts[0] = counts[0]! + naming[0]!
  const several = tallyWalking(source, membersOf(others, 0, countBits(others)))
  for (let code = 0; code < counts.length; code++) {
    counts[code] = counts[code]! + several[code]!
  }
  return counts
}

/** Counts rows with a single element by the record that it links to, and collects all other rows. */
function countNaming(
  offsets: Uint32Array,
  { targets, size }: { readonly targets: Uint32Array; readonly size: number },
  rows: Bits,
  others: Bits,
): Uint32Array {
  const naming = new Uint32Array(size + 1)
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    for (let word = rows[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = offsets[row]!
      if (offsets[row + 1]! - from === 1) {
        const target = targets[from]!
        naming[target] = naming[target]! + 1
      } else setBit(others, row)
    }
  }
  return naming
}

function placesOf(numbers: Uint32Array): Uint32Array {
  const places = new Uint32Array(numbers.length)
  let filled = 0
  for (let i = 0; i < numbers.length; i++) if (numbers[i] !== 0) places[filled++] = i
  return places.subarray(0, filled)
}
