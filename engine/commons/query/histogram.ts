import { type Bits, countBits, countWord } from '../../shared/arrays/bitset.ts'
import type { Codes } from '../release/layout.ts'
import type { Selection } from './selection.ts'
import type { Lookup } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Bitmap of selected rows or elements. Undefined selects all. */
type Members = Bits | undefined

/** Maximum number of codes with four counters each. More counters exceed the processor's caches. */
const MAX_SPREAD = 1 << 14

/** Counts rows or elements by code, from 0 (no value) to `distinct`. */
export function countCodes(
  { codes, via }: Lookup,
  members: Members,
  distinct: number,
): Uint32Array {
  if (!members) return via ? countAllVia(codes, via, distinct) : countAll(codes, distinct)
  if (via) return countSomeVia(codes, via, members, distinct)
  const isDense = distinct <= MAX_SPREAD && countBits(members) * 5 > codes.length * 2
  return isDense ? countDense(codes, members, distinct) : countSome(codes, members, distinct)
}

/** Counts the codes of selected rows. */
export function countSelected(
  lookup: Lookup,
  { listed, bits }: Selection,
  distinct: number,
): Uint32Array {
  if (!listed) return countCodes(lookup, bits, distinct)
  const { codes, via } = lookup
  const counts = new Uint32Array(distinct + 1)
  for (let i = 0; i < listed.length; i++) {
    const row = listed[i]!
    const code = codes[via ? via[row]! : row] as number
    counts[code] = counts[code]! + 1
  }
  return counts
}

// Each loop below exists with and without `via`, because testing for it inside the loop costs over 50%.

/** Counts all codes. Adjacent rows use different counters: the processor stalls when it reads a fresh number. */
function countAll(codes: Codes, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  const others = distinct <= MAX_SPREAD ? new Uint32Array(distinct + 1) : counts
  for (let i = 1; i < codes.length; i += 2) {
    const one = codes[i - 1]!
    const other = codes[i]!
    counts[one] = counts[one]! + 1
    others[other] = others[other]! + 1
  }
  if (codes.length & 1) addOne(counts, codes.at(-1) as number)
  if (others !== counts) addTo(counts, others)
  return counts
}

function countAllVia(codes: Codes, via: Uint32Array, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  const others = distinct <= MAX_SPREAD ? new Uint32Array(distinct + 1) : counts
  for (let i = 1; i < via.length; i += 2) {
    const one = codes[via[i - 1]!] as number
    const other = codes[via[i]!] as number
    counts[one] = counts[one]! + 1
    others[other] = others[other]! + 1
  }
  if (via.length & 1) addOne(counts, codes[via.at(-1) as number]!)
  if (others !== counts) addTo(counts, others)
  return counts
}

function addOne(counts: Uint32Array, code: number): void {
  counts[code] = counts[code]! + 1
}

function addTo(counts: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < counts.length; i++) {
    counts[i] = counts[i]! + others[i]!
  }
}

function countSome(codes: Codes, members: Bits, distinct: number): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    for (let word = members[w]!; word !== 0; word &= word - 1) {
      const code = codes[base + 31 - Math.clz32(word & -word)]!
      counts[code] = counts[code]! + 1
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
    for (let word = members[w]!; word !== 0; word &= word - 1) {
      const code = codes[via[base + 31 - Math.clz32(word & -word)]!] as number
      counts[code] = counts[code]! + 1
    }
  }
  return counts
}

/** Counts every row, with code 0 for rows that are not selected. */
function countDense(codes: Codes, members: Bits, distinct: number): Uint32Array {
  const lanes = new Uint32Array((distinct + 1) << 2)
  const whole = codes.length >>> 5
  let others = whole << 5
  for (let w = 0; w < whole; w++) {
    const word = members[w]!
    others -= countWord(word)
    const base = w << 5
    for (let i = 0; i < 32; i += 4) {
      const a = (codes[base + i]! & -((word >>> i) & 1)) << 2
      const b = ((codes[base + i + 1]! & -((word >>> (i + 1)) & 1)) << 2) | 1
      const c = ((codes[base + i + 2]! & -((word >>> (i + 2)) & 1)) << 2) | 2
      const d = ((codes[base + i + 3]! & -((word >>> (i + 3)) & 1)) << 2) | 3
      lanes[a] = lanes[a]! + 1
      lanes[b] = lanes[b]! + 1
      lanes[c] = lanes[c]! + 1
      lanes[d] = lanes[d]! + 1
    }
  }
  const counts = countSome(codes.subarray(whole << 5), members.subarray(whole), distinct)
  for (let lane = 0; lane < lanes.length; lane++) {
    counts[lane >>> 2] = counts[lane >>> 2]! + lanes[lane]!
  }
  counts[0] = counts[0]! - others
  return counts
}

/** Counts the values of members that may have several values. Entry 0 counts members without values. */
export function countLists(
  codes: Codes,
  offsets: Uint32Array,
  members: Bits,
  distinct: number,
): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    for (let word = members[w]!; word !== 0; word &= word - 1) {
      const i = base + 31 - Math.clz32(word & -word)
      const end = offsets[i + 1]!
      let at = offsets[i]!
      if (at === end) counts[0] = counts[0]! + 1
      for (; at < end; at++) {
        const code = codes[at]!
        counts[code] = counts[code]! + 1
      }
    }
  }
  return counts
}
