import { type Bits, countWord } from '../../shared/arrays/bitset.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Cost of counting one row directly. The unit is the time to read one word of a bitmap. */
const WORDS_PER_MEMBER = 0.8

/** Counts the codes of the `count` selected rows with bitmaps. Returns undefined if counting row by row is faster. */
export function countByBitmaps(
  bitmaps: Bits,
  { members, count }: { readonly members: Bits; readonly count: number },
  distinct: number,
): Uint32Array | undefined {
  if (distinct * members.length > count * WORDS_PER_MEMBER) return undefined
  const counts = new Uint32Array(distinct + 1)
  let left = count
  for (let code = 1; code <= distinct; code++) {
    const both = countBoth(bitmaps, code * members.length, members)
    counts[code] = both
    left -= both
  }
  // Each row has at most one code, so the rows that are left have none.
  counts[0] = left
  return counts
}

/**
 * Counts the intersection of two bitmaps, the first starting at a word offset. Adds eight words at a time
 * with carry-save adders, so that only one word in eight needs a population count (Harley and Seal).
 */
export function countBoth(bitmaps: Bits, start: number, members: Bits): number {
  const whole = members.length & ~7
  let ones = 0
  let twos = 0
  let fours = 0
  let eights = 0
  let w = 0
  for (let at = start; w < whole; w += 8, at += 8) {
    let a = bitmaps[at]! & members[w]!
    let b = bitmaps[at + 1]! & members[w + 1]!
    let half = ones ^ a
    const twoA = (ones & a) | (half & b)
    ones = half ^ b
    a = bitmaps[at + 2]! & members[w + 2]!
    b = bitmaps[at + 3]! & members[w + 3]!
    half = ones ^ a
    const twoB = (ones & a) | (half & b)
    ones = half ^ b
    half = twos ^ twoA
    const fourA = (twos & twoA) | (half & twoB)
    twos = half ^ twoB
    a = bitmaps[at + 4]! & members[w + 4]!
    b = bitmaps[at + 5]! & members[w + 5]!
    half = ones ^ a
    const twoC = (ones & a) | (half & b)
    ones = half ^ b
    a = bitmaps[at + 6]! & members[w + 6]!
    b = bitmaps[at + 7]! & members[w + 7]!
    half = ones ^ a
    const twoD = (ones & a) | (half & b)
    ones = half ^ b
    half = twos ^ twoC
    const fourB = (twos & twoC) | (half & twoD)
    twos = half ^ twoD
    half = fours ^ fourA
    eights += countWord((fours & fourA) | (half & fourB))
    fours = half ^ fourB
  }
  let count = 8 * eights + 4 * countWord(fours) + 2 * countWord(twos) + countWord(ones)
  for (; w < members.length; w++) {
    count += countWord(bitmaps[start + w]! & members[w]!)
  }
  return count
}
