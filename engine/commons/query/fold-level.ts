import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'

/**
 * Elements to their parents, 32 parents at a time: as most parents have one element, their bits are
 * those of their elements, only in another place.
 * @param irregular parents that have no element or several
 */
export function foldOwn(offsets: Uint32Array, irregular: Bits, bits: Bits, reached: Bits): void {
  // What is read beyond the last element is 0.
  const padded = new Int32Array(bits.length + 3)
  padded.set(bits)
  for (let w = 0; w < reached.length; w++) {
    const base = w << 5
    const start = offsets[base]!
    let word = wordAt(padded, start)
    // Their elements are rarely more than the next 64.
    if (word === 0 && wordAt(padded, start + 32) === 0 && base + 32 < offsets.length) {
      if (offsets[base + 32]! - start <= 64) continue
    }
    for (let odd = irregular[w]!; odd !== 0; odd &= odd - 1) {
      const i = 31 - Math.clz32(odd & -odd)
      const from = offsets[base + i]!
      const end = offsets[base + i + 1]!
      const count = end - from
      let some = 0
      // Whether there is none or a few cannot be foretold, so it is not asked.
      if (count < 32) some = wordAt(padded, from) & ((1 << count) - 1)
      else some = someBetween(padded, from, end)
      const any = (some | -some) >>> 31
      // The parents behind this one are as far from their elements as it is from its end.
      word = (word & ((1 << i) - 1)) | (any << i) | ((wordAt(padded, end) << 1) << i)
    }
    reached[w] = word
  }
}

/** The 32 bits from a place on. */
function wordAt(bits: Bits, at: number): number {
  const shift = at & 31
  const low = bits[at >>> 5]! >>> shift
  // Twice, since a shift by 32 is none.
  return low | ((bits[(at >>> 5) + 1]! << 1) << (31 - shift))
}

/** Not 0 when there is a member among some numbers. */
function someBetween(bits: Bits, from: number, end: number): number {
  for (let n = from; n < end; n++) if (hasBit(bits, n)) return 1
  return 0
}
