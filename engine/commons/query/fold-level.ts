import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'

/**
 * Maps elements to their parents, 32 parents at a time. Most parents have exactly one element. Their bits are
 * the bits of their elements, shifted.
 * @param irregular bitmap of parents with no element or with several
 */
export function foldOwn(offsets: Uint32Array, irregular: Bits, bits: Bits, reached: Bits): void {
  // The bitmap is padded with zeros, because the loop reads words beyond the last element.
  const padded = new Int32Array(bits.length + 3)
  padded.set(bits)
  for (let w = 0; w < reached.length; w++) {
    const base = w << 5
    const start = offsets[base]!
    let word = wordAt(padded, start)
    // 32 parents rarely have more than 64 elements, so two words are read.
    if (word === 0 && wordAt(padded, start + 32) === 0 && base + 32 < offsets.length) {
      if (offsets[base + 32]! - start <= 64) continue
    }
    for (let odd = irregular[w]!; odd !== 0; odd &= odd - 1) {
      const i = 31 - Math.clz32(odd & -odd)
      const from = offsets[base + i]!
      const end = offsets[base + i + 1]!
      const count = end - from
      let some = 0
      // This loop has no branches, because the number of elements is unpredictable.
      if (count < 32) some = wordAt(padded, from) & ((1 << count) - 1)
      else some = someBetween(padded, from, end)
      const any = (some | -some) >>> 31
      // Shifts the word so that the parents after an irregular one are aligned with their elements again.
      word = (word & ((1 << i) - 1)) | (any << i) | ((wordAt(padded, end) << 1) << i)
    }
    reached[w] = word
  }
}

/** Returns the 32 bits that start at a position. */
function wordAt(bits: Bits, at: number): number {
  const shift = at & 31
  const low = bits[at >>> 5]! >>> shift
  // Two shifts, because JavaScript treats a shift by 32 as a shift by 0.
  return low | ((bits[(at >>> 5) + 1]! << 1) << (31 - shift))
}

/** Returns a non-zero number if any number in the range is in the bitmap. */
function someBetween(bits: Bits, from: number, end: number): number {
  for (let n = from; n < end; n++) if (hasBit(bits, n)) return 1
  return 0
}
