import type { Codes } from '../release/layout.ts'
import { type Bits, countBits, countWord } from './bitset.ts'
import { type Lookup, offsetsOver } from './source.ts'
import type { LevelMove } from './way.ts'

/** Some rows or elements; absent: all of them. */
type Members = Bits | undefined

/** More codes than that are not counted in four lists: these would not stay in the fast memory. */
const MOST_SPREAD = 1 << 14

/** Counts the codes of some rows or elements, 0 included. `distinct` is the greatest code. */
export function countCodes(
  { codes, via }: Lookup,
  members: Members,
  distinct: number,
): Uint32Array {
  if (!members) return via ? countAllVia(codes, via, distinct) : countAll(codes, distinct)
  if (via) return countSomeVia(codes, via, members, distinct)
  const isDense = distinct <= MOST_SPREAD && countBits(members) * 5 > codes.length * 2
  return isDense ? countDense(codes, members, distinct) : countSome(codes, members, distinct)
}

// The loops below stand twice, with `via` and without it: asking in each round costs more than half.

/** Neighbours count in different lists: adding to what was just written would wait for it. */
function countAll(codes: Codes, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  const others = distinct <= MOST_SPREAD ? new Uint32Array(distinct + 1) : counts
  for (let i = 1; i < codes.length; i += 2) {
    const one = codes[i - 1] as number
    const other = codes[i] as number
    counts[one] = (counts[one] as number) + 1
    others[other] = (others[other] as number) + 1
  }
  if (codes.length & 1) addOne(counts, codes.at(-1) as number)
  if (others !== counts) addTo(counts, others)
  return counts
}

function countAllVia(codes: Codes, via: Uint32Array, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  const others = distinct <= MOST_SPREAD ? new Uint32Array(distinct + 1) : counts
  for (let i = 1; i < via.length; i += 2) {
    const one = codes[via[i - 1] as number] as number
    const other = codes[via[i] as number] as number
    counts[one] = (counts[one] as number) + 1
    others[other] = (others[other] as number) + 1
  }
  if (via.length & 1) addOne(counts, codes[via.at(-1) as number] as number)
  if (others !== counts) addTo(counts, others)
  return counts
}

function addOne(counts: Uint32Array, code: number): void {
  counts[code] = (counts[code] as number) + 1
}

function addTo(counts: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < counts.length; i++) {
    counts[i] = (counts[i] as number) + (others[i] as number)
  }
}

function countSome(codes: Codes, members: Bits, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    for (let word = members[w] as number; word !== 0; word &= word - 1) {
      const code = codes[base + 31 - Math.clz32(word & -word)] as number
      counts[code] = (counts[code] as number) + 1
    }
  }
  return counts
}

function countSomeVia(
  codes: Codes,
  via: Uint32Array,
  members: Bits,
  distinct: number,
): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    for (let word = members[w] as number; word !== 0; word &= word - 1) {
      const code = codes[via[base + 31 - Math.clz32(word & -word)] as number] as number
      counts[code] = (counts[code] as number) + 1
    }
  }
  return counts
}

/** Takes every code, and 0 in place of those that are not members. */
function countDense(codes: Codes, members: Bits, distinct: number): Uint32Array {
  const lanes = new Uint32Array((distinct + 1) << 2)
  const whole = codes.length >>> 5
  let others = whole << 5
  for (let w = 0; w < whole; w++) {
    const word = members[w] as number
    others -= countWord(word)
    const base = w << 5
    for (let i = 0; i < 32; i += 4) {
      const a = ((codes[base + i] as number) & -((word >>> i) & 1)) << 2
      const b = (((codes[base + i + 1] as number) & -((word >>> (i + 1)) & 1)) << 2) | 1
      const c = (((codes[base + i + 2] as number) & -((word >>> (i + 2)) & 1)) << 2) | 2
      const d = (((codes[base + i + 3] as number) & -((word >>> (i + 3)) & 1)) << 2) | 3
      lanes[a] = (lanes[a] as number) + 1
      lanes[b] = (lanes[b] as number) + 1
      lanes[c] = (lanes[c] as number) + 1
      lanes[d] = (lanes[d] as number) + 1
    }
  }
  const counts = countSome(codes.subarray(whole << 5), members.subarray(whole), distinct)
  for (let lane = 0; lane < lanes.length; lane++) {
    counts[lane >>> 2] = (counts[lane >>> 2] as number) + (lanes[lane] as number)
  }
  counts[0] = (counts[0] as number) - others
  return counts
}

/** Counts the values of members that have any number of them; at 0 the members without. */
export function countLists(
  codes: Codes,
  offsets: Uint32Array,
  members: Bits,
  distinct: number,
): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    for (let word = members[w] as number; word !== 0; word &= word - 1) {
      const i = base + 31 - Math.clz32(word & -word)
      const end = offsets[i + 1] as number
      let at = offsets[i] as number
      if (at === end) counts[0] = (counts[0] as number) + 1
      for (; at < end; at++) {
        const code = codes[at] as number
        counts[code] = (counts[code] as number) + 1
      }
    }
  }
  return counts
}

/**
 * Counts rows by the codes of their elements, each row once per code; at 0 the rows that have an
 * element without a code or, when the field is not bound to elements, no code at all.
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
  if (via) countSinglesVia(offsetsOver(levels), codes, via, rows, severals)
  else if (first && second && levels.length === 2) {
    countSinglesBelow(first.offsets, second.offsets, codes, rows, severals)
  } else countSingles(offsetsOver(levels), codes, rows, severals)
  return counts
}

/** Counts rows with one element, where nothing can be counted twice, and has the others counted. */
function countSingles(offsets: Uint32Array, codes: Codes, rows: Bits, severals: Severals): void {
  const { counts } = severals
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    for (let word = rows[w] as number; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = offsets[row] as number
      const end = offsets[row + 1] as number
      if (end - from === 1) {
        const code = codes[from] as number
        counts[code] = (counts[code] as number) + 1
      } else severals.count(row, from, end)
    }
  }
}

/** The same two levels down, without joining these for rows that are not asked for. */
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
    for (let word = rows[w] as number; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = further[offsets[row] as number] as number
      const end = further[offsets[row + 1] as number] as number
      if (end - from === 1) {
        const code = codes[from] as number
        counts[code] = (counts[code] as number) + 1
      } else severals.count(row, from, end)
    }
  }
}

function countSinglesVia(
  offsets: Uint32Array,
  codes: Codes,
  via: Uint32Array,
  rows: Bits,
  severals: Severals,
): void {
  const { counts } = severals
  for (let w = 0; w < rows.length; w++) {
    const base = w << 5
    for (let word = rows[w] as number; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const from = offsets[row] as number
      const end = offsets[row + 1] as number
      if (end - from === 1) {
        const code = codes[via[from] as number] as number
        counts[code] = (counts[code] as number) + 1
      } else severals.count(row, from, end)
    }
  }
}

/** Counts rows that have no element or several. */
class Severals {
  readonly counts: Uint32Array
  readonly #lookup: Lookup
  readonly #isBound: boolean
  /** The row + 1 that each code was last counted for. */
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
      const code = codes[via ? (via[i] as number) : i] as number
      if (code !== 0) isEmpty = false
      // A field that is not bound is missing from a row, not from an element.
      if (code !== 0 || this.#isBound) this.#add(code, row)
    }
    if (isEmpty && !this.#isBound) this.#add(0, row)
  }

  #add(code: number, row: number): void {
    if (this.#seen[code] === row + 1) return
    this.#seen[code] = row + 1
    this.counts[code] = (this.counts[code] as number) + 1
  }
}
