import { type Bits, countWord } from '../../shared/arrays/bitset.ts'
import type { Codes } from '../release/layout.ts'
import type { LevelMove } from './join-path.ts'
import { type Lookup, offsetsOver } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/**
 * Counts rows by the codes of their elements, each row once per code. Entry 0 counts the rows that have an
 * element without a code. If conditions on the field do not bind to elements, it counts the rows without any
 * code.
 */
export function countElements(
  levels: readonly LevelMove[],
  lookup: Lookup,
  rows: Bits,
  { distinct, isBound }: { readonly distinct: number; readonly isBound: boolean },
): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  const severals = new Severals(lookup, counts, isBound)
  const { codes, via } = lookup
  const [first, second] = levels
  if (via) countSinglesVia(offsetsOver(levels), { codes, via }, rows, severals)
  else if (first && second && levels.length === 2) {
    countSinglesBelow(first.offsets, second.offsets, codes, rows, severals)
  } else countSingles(offsetsOver(levels), codes, rows, severals)
  return counts
}

interface ViaLookup {
  readonly codes: Codes
  readonly via: Uint32Array
}

/** Counts rows that have a single element, and collects all other rows in `severals`. */
function countSingles(offsets: Uint32Array, codes: Codes, rows: Bits, severals: Severals): void {
  const { counts } = severals
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    for (let word = rows[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = offsets[row]!
      const end = offsets[row + 1]!
      if (end - from === 1) {
        const code = codes[from]!
        counts[code] = counts[code]! + 1
      } else severals.count(row, from, end)
    }
  }
}

/**
 * Does the same as countSingles for two nested levels, but joins the levels for selected rows only. It is a
 * separate function, because a loop over a variable number of levels is 5% slower.
 */
function countSinglesBelow(
  offsets: Uint32Array,
  further: Uint32Array,
  codes: Codes,
  rows: Bits,
  severals: Severals,
): void {
  const { counts } = severals
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    for (let word = rows[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = further[offsets[row]!] as number
      const end = further[offsets[row + 1]!] as number
      if (end - from === 1) {
        const code = codes[from]!
        counts[code] = counts[code]! + 1
      } else severals.count(row, from, end)
    }
  }
}

function countSinglesVia(
  offsets: Uint32Array,
  lookup: ViaLookup,
  rows: Bits,
  severals: Severals,
): void {
  const { codes, via } = lookup
  const { counts } = severals
  const dense = new DenseWords(offsets, lookup, counts)
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    let word = rows[w]!
    if (base + 32 < offsets.length && countWord(word) > MANY) word &= dense.count(base, word)
    for (; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = offsets[row]!
      const end = offsets[row + 1]!
      if (end - from === 1) {
        const code = codes[via[from]!] as number
        counts[code] = counts[code]! + 1
      } else severals.count(row, from, end)
    }
  }
  dense.finish()
}

/** If more than this many rows of a bitmap word are selected, all of its rows are counted without branches. */
const MANY = 12

/** Counts the 32 adjacent rows of a bitmap word at a time. Rows that are not selected count as code 0. */
class DenseWords {
  readonly #offsets: Uint32Array
  readonly #codes: Codes
  readonly #via: Uint32Array
  readonly #counts: Uint32Array
  /** Adjacent rows increment different counters, because the processor stalls when it reads a number just written. */
  readonly #lanes: Uint32Array
  #others = 0

  constructor(offsets: Uint32Array, { codes, via }: ViaLookup, counts: Uint32Array) {
    this.#offsets = offsets
    this.#codes = codes
    this.#via = via
    this.#counts = counts
    this.#lanes = new Uint32Array(2 * counts.length)
  }

  /** Counts selected rows with a single element. Returns a bitmap of those with none or several. */
  count(base: number, members: number): number {
    const offsets = this.#offsets
    const codes = this.#codes
    const via = this.#via
    const lanes = this.#lanes
    let several = 0
    let first = offsets[base]!
    for (let i = 0; i < 32; i += 2) {
      const second = offsets[base + i + 1]!
      const end = offsets[base + i + 2]!
      // 0 if the row has one element. For any other number, either this value or its negation has the sign bit set.
      const one = (second - first) ^ 1
      const other = (end - second) ^ 1
      const isOneOff = (one | -one) >>> 31
      const isOtherOff = (other | -other) >>> 31
      several |= (isOneOff << i) | (isOtherOff << (i + 1))
      const a = (codes[via[first]!] as number) & -((members >>> i) & ~isOneOff & 1)
      const b = (codes[via[second]!] as number) & -((members >>> (i + 1)) & ~isOtherOff & 1)
      lanes[a << 1] = lanes[a << 1]! + 1
      lanes[(b << 1) | 1] = lanes[(b << 1) | 1]! + 1
      first = end
    }
    this.#others += 32 - countWord(members & ~several)
    return several
  }

  finish(): void {
    const counts = this.#counts
    for (let i = 0; i < this.#lanes.length; i++) {
      counts[i >>> 1] = counts[i >>> 1]! + this.#lanes[i]!
    }
    counts[0] = counts[0]! - this.#others
  }
}

/** Counts rows that have no element, or several. */
class Severals {
  readonly counts: Uint32Array
  readonly #lookup: Lookup
  readonly #isBound: boolean
  /** For each code, the last row for which it was counted, plus one. */
  readonly #seen: Uint32Array

  constructor(lookup: Lookup, counts: Uint32Array, isBound: boolean) {
    this.counts = counts
    this.#lookup = lookup
    this.#isBound = isBound
    this.#seen = new Uint32Array(counts.length)
  }

  count(row: number, from: number, end: number): void {
    const { codes, via } = this.#lookup
    let isEmpty = true
    for (let i = from; i < end; i++) {
      const code = codes[via ? via[i]! : i] as number
      if (code !== 0) isEmpty = false
      // Unless conditions bind to elements, the field is missing from a row only if no element has it.
      if (code !== 0 || this.#isBound) this.#add(code, row)
    }
    if (isEmpty && !this.#isBound) this.#add(0, row)
  }

  #add(code: number, row: number): void {
    if (this.#seen[code] === row + 1) return
    this.#seen[code] = row + 1
    this.counts[code] = this.counts[code]! + 1
  }
}
