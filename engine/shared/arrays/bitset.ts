/**
 * A set of the integers 0 … size - 1 with one bit each, lowest bit first. Bits beyond the size are always 0.
 * Words are signed, because V8 keeps signed 32-bit integers in registers.
 */
export type Bits = Int32Array

export const newBits = (size: number): Bits => new Int32Array((size + 31) >>> 5)

export function fullBits(size: number): Bits {
  return clearTail(newBits(size).fill(-1), size)
}

function clearTail(bits: Bits, size: number): Bits {
  const used = size & 31
  if (used) bits[bits.length - 1] = bits[bits.length - 1]! & ((1 << used) - 1)
  return bits
}

/** Replaces a set by its complement, in place. */
export function invert(bits: Bits, size: number): Bits {
  for (let w = 0; w < bits.length; w++) bits[w] = ~bits[w]!
  return clearTail(bits, size)
}

/** Intersects `bits` with `other`, in place. */
export function intersect(bits: Bits, other: Bits): Bits {
  for (let w = 0; w < bits.length; w++) bits[w] = bits[w]! & other[w]!
  return bits
}

/** Removes the members of `other` from `bits`, in place. */
export function subtract(bits: Bits, other: Bits): Bits {
  for (let w = 0; w < bits.length; w++) bits[w] = bits[w]! & ~other[w]!
  return bits
}

/** Unites `bits` with `other`, in place. */
export function unite(bits: Bits, other: Bits): Bits {
  for (let w = 0; w < bits.length; w++) bits[w] = bits[w]! | other[w]!
  return bits
}

/** Returns the number of set bits in a 32-bit word. */
export function countWord(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export function countBits(bits: Bits): number {
  let count = 0
  for (let w = 0; w < bits.length; w++) count += countWord(bits[w]!)
  return count
}

export function isEmpty(bits: Bits): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false
  return true
}

export const hasBit = (bits: Bits, i: number): boolean => ((bits[i >>> 5]! >>> (i & 31)) & 1) === 1

export function setBit(bits: Bits, i: number): void {
  const w = i >>> 5
  bits[w] = bits[w]! | (1 << (i & 31))
}

export function clearBit(bits: Bits, i: number): void {
  const w = i >>> 5
  bits[w] = bits[w]! & ~(1 << (i & 31))
}

/** Adds the integers `from` … `to - 1`. */
export function setRange(bits: Bits, from: number, to: number): void {
  if (from >= to) return
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) {
    bits[first] = bits[first]! | (head & tail)
    return
  }
  bits[first] = bits[first]! | head
  bits.fill(-1, first + 1, last)
  bits[last] = bits[last]! | tail
}

/** Returns the members with ranks `from` … `to - 1`, ascending from 0. Ranks beyond the last are 0. */
export function membersOf(bits: Bits, from: number, to: number): Uint32Array {
  const members = new Uint32Array(to - from)
  let w = 0
  let skip = from
  for (; w < bits.length; w++) {
    const count = countWord(bits[w]!)
    if (count > skip) break
    skip -= count
  }
  for (let filled = 0; w < bits.length && filled < members.length; w++) {
    let word = bits[w]!
    for (; skip > 0; skip--) word &= word - 1
    const base = w << 5
    // Every word before the last leaves room in the list.
    for (; word !== 0 && filled < members.length; word &= word - 1) {
      members[filled++] = base + 31 - Math.clz32(word & -word)
    }
  }
  return members
}
