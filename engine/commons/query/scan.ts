import {
  type Bits,
  countWord,
  invert,
  newBits,
  setBit,
  setRange,
  unite,
} from '../../shared/arrays/bitset.ts'
import type { Codes } from '../release/layout.ts'
import type { Column } from '../release/loaded.ts'
import { type CodeSet, sizeOf, tableOf } from './codes.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** If at most this many rows of a bitmap word remain, they are tested one by one. */
const FEW = 8

/** Returns which of `size` elements have one of the codes (0: no value). May skip elements outside of `within`. */
export function scan(column: Column, codes: CodeSet, size: number, within?: Bits): Bits {
  const { bitmaps, layout } = column
  if (bitmaps) return scanBitmaps(bitmaps, codes, layout.distinct, size)
  const found = newBits(size)
  if (codes.length === 0) return found
  if (layout.identity) scanIdentity(codes, found, size)
  else if (column.offsets) scanLists(column, codes, found, within)
  else if (!scanOrder(column, codes, found)) scanCodes(column, codes, found, within)
  return found
}

/** Scans an id column, in which the code is the row plus one. */
function scanIdentity(codes: CodeSet, found: Bits, size: number): void {
  for (let i = 0; i < codes.length; i += 2) {
    setRange(found, Math.max(codes[i]! - 1, 0), Math.min(codes[i + 1]! - 1, size))
  }
}

/**
 * Returns the elements with one of the codes from bitmaps per code. Each element is in one bitmap, so many
 * codes are found as the complement of the others.
 */
function scanBitmaps(bitmaps: Bits, codes: CodeSet, distinct: number, size: number): Bits {
  const all = distinct + 1
  const isMost = sizeOf(codes) * 2 > all
  const ranges = isMost ? complement(codes, all) : codes
  const words = (size + 31) >>> 5
  const setOf = (code: number) => bitmaps.subarray(code * words, (code + 1) * words)
  const [first] = ranges
  // Copying the first bitmap is faster than adding it to an empty one.
  const found = first === undefined ? newBits(size) : setOf(first).slice()
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i]!
    for (let code = i === 0 ? from + 1 : from; code < ranges[i + 1]!; code++) {
      unite(found, setOf(code))
    }
  }
  return isMost ? invert(found, size) : found
}

/** Returns all codes below `all` that are not in a set. */
function complement(codes: CodeSet, all: number): CodeSet {
  const bounds = codes[0] === 0 ? codes.slice(1) : [0, ...codes]
  return bounds.at(-1) === all ? bounds.slice(0, -1) : [...bounds, all]
}

/**
 * Marks matching rows by the column's sorted order, in which each range of codes is one range of rows. Returns
 * false if the column has no order or too many rows match.
 */
function scanOrder({ order, codes }: Column, wanted: CodeSet, found: Bits): boolean {
  const most = found.length
  if (!order || !codes || wanted[0] === 0 || wanted.length > most >>> 6) return false
  const extents = wanted.map((code) => placeOf(code, order, codes))
  if (sizeOf(extents) > most) return false
  for (let s = 0; s < extents.length; s += 2) {
    const end = extents[s + 1]!
    for (let i = extents[s]!; i < end; i++) setBit(found, order[i]!)
  }
  return true
}

/** Returns the position in a sorted order of the first row with at least the given code. */
export function placeOf(code: number, order: Uint32Array, codes: Codes): number {
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const there = codes[order[middle]!] as number
    if (there !== 0 && there < code) low = middle + 1
    else high = middle
  }
  return low
}

function scanCodes({ codes, layout }: Column, wanted: CodeSet, found: Bits, within?: Bits): void {
  if (!codes) return
  if (wanted.length === 2) {
    scanRange(codes, wanted[0]!, wanted[1]! - 1, found, within)
  } else {
    scanTable(codes, tableOf(wanted, layout.distinct), found, within)
  }
}

/**
 * Scans for codes from `low` to `high`, both inclusive. The loop has no branches, because matches are
 * unpredictable. It does not share code with scanTable, because a callback in the loop costs 20%, or 50% if few
 * rows are left.
 */
function scanRange(codes: Codes, low: number, high: number, found: Bits, within?: Bits): void {
  const whole = codes.length >>> 5
  for (let w = 0; w < whole; w++) {
    const left = within ? within[w]! : -1
    if (left === 0) continue
    const base = w << 5
    let word = 0
    if (within && countWord(left) <= FEW) {
      for (let rest = left; rest !== 0; rest &= rest - 1) {
        const code = codes[base + 31 - Math.clz32(rest & -rest)]!
        if (code >= low && code <= high) word |= rest & -rest
      }
      found[w] = word
      continue
    }
    for (let i = base + 31; i >= base; i--) {
      const code = codes[i]!
      word = (word << 1) | (((code - low) | (high - code)) >>> 31)
    }
    found[w] = ~word & left
  }
  for (let i = whole << 5; i < codes.length; i++) {
    const code = codes[i]!
    if (code >= low && code <= high) setBit(found, i)
  }
}

/** Returns the elements whose code has a 1 in the table. May omit elements outside of `within`. */
export function scanNumbers(codes: Codes, table: Uint8Array, within?: Bits): Bits {
  const found = newBits(codes.length)
  scanTable(codes, table, found, within)
  return found
}

function scanTable(codes: Codes, table: Uint8Array, found: Bits, within?: Bits): void {
  const whole = codes.length >>> 5
  for (let w = 0; w < whole; w++) {
    const left = within ? within[w]! : -1
    if (left === 0) continue
    const base = w << 5
    let word = 0
    if (within && countWord(left) <= FEW) {
      for (let rest = left; rest !== 0; rest &= rest - 1) {
        const i = 31 - Math.clz32(rest & -rest)
        word |= (table[codes[base + i]!] as number) << i
      }
      found[w] = word
      continue
    }
    for (let i = base + 31; i >= base; i--) {
      word = (word << 1) | (table[codes[i]!] as number)
    }
    found[w] = word & left
  }
  for (let i = whole << 5; i < codes.length; i++) {
    if (table[codes[i]!] === 1) setBit(found, i)
  }
}

/** Scans elements with any number of values. An element without values has code 0. */
function scanLists(
  { codes, offsets, layout }: Column,
  wanted: CodeSet,
  found: Bits,
  within?: Bits,
): void {
  if (!codes || !offsets) return
  const table = tableOf(wanted, layout.distinct)
  const none = table[0]!
  for (let w = 0; w < found.length; w++) {
    if (within && within[w] === 0) continue
    const base = w << 5
    const count = Math.min(32, offsets.length - 1 - base)
    let word = 0
    for (let i = 0; i < count; i++) {
      const end = offsets[base + i + 1]!
      let at = offsets[base + i]!
      let hit = at === end ? none : 0
      for (; at < end && hit === 0; at++) hit = table[codes[at]!] as number
      word |= hit << i
    }
    found[w] = word
  }
}
