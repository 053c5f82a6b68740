import { type Bits, countWord } from '../../shared/arrays/bitset.ts'
import type { Codes } from '../release/layout.ts'
import { bitsOf, type Selection } from './selection.ts'
import { isBoundBehindLink, type Lookup, lookupOf, type Source } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Cost of reading a list at a random position, relative to sequential reading. */
const JUMP = 6

/** Maximum size in words of all bitmaps together. There is one bitmap per value. */
const MAX_WORDS = 1 << 22

/**
 * Counts rows by values of the records that link to them, such as cases by properties of their files. Scans all
 * links in order and marks each pair of row and value. If many rows are counted, this is faster than reading
 * each row's list. Returns undefined if it is slower, or for other kinds of paths.
 */
export function tallyReverse(source: Source, rows: Selection): Uint32Array | undefined {
  const { moves, bound } = source
  const [link, up] = moves
  if (link?.kind !== 'link' || !link.inverse || bound === 0) return undefined
  if (isBoundBehindLink(source)) return undefined
  if (rows.count * JUMP < rows.size) return undefined
  const parents = up?.kind === 'level' && up.inverse ? up.parents : undefined
  const rest = moves.slice(parents ? 2 : 1)
  const lookup = lookupOf(
    source,
    rest,
    moves.reduce((sum, { size }) => sum + size, 0),
  )
  if (!lookup?.codes) return undefined
  const members = bitsOf(rows)
  const values = source.column.layout.distinct + 1
  if (members.length * values > MAX_WORDS) return undefined

  const table = new Int32Array(members.length * values)
  const codes = flattened(lookup)
  if (parents) markThrough(link.targets, parents, codes, table, members.length)
  else mark(link.targets, codes, table, members.length)
  const counts = new Uint32Array(values)
  for (let code = 0; code < values; code++) {
    counts[code] = countBoth(table.subarray(code * members.length), members)
  }
  return counts
}

function flattened({ codes, via }: Lookup): Codes {
  if (!via) return codes
  const found = new Uint32Array(via.length)
  for (let i = 0; i < via.length; i++) found[i] = codes[via[i]!] as number
  return found
}

/** Sets the bit of each row in the bitmap of its code. A target is a row number plus one. */
function mark(targets: Uint32Array, codes: Codes, table: Int32Array, words: number): void {
  for (let i = 0; i < targets.length; i++) {
    const row = targets[i]! - 1
    if (row < 0) continue
    const w = codes[i]! * words + (row >>> 5)
    table[w] = table[w]! | (1 << (row & 31))
  }
}

/** Does the same as `mark` if the links are in nested elements and the codes are in their records. */
function markThrough(
  targets: Uint32Array,
  parents: Uint32Array,
  codes: Codes,
  table: Int32Array,
  words: number,
): void {
  for (let i = 0; i < targets.length; i++) {
    const row = targets[i]! - 1
    if (row < 0) continue
    const w = (codes[parents[i]!] as number) * words + (row >>> 5)
    table[w] = table[w]! | (1 << (row & 31))
  }
}

function countBoth(some: Bits, members: Bits): number {
  let count = 0
  for (let w = 0; w < members.length; w++) {
    count += countWord(some[w]! & members[w]!)
  }
  return count
}
