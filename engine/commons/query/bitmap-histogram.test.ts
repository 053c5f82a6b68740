import { expect, test } from 'vitest'
import { countBits, intersect, newBits, setBit } from '../../shared/arrays/bitset.ts'
import { countBoth, countByBitmaps } from './bitmap-histogram.ts'
import { Dice } from './support/random-commons.ts'

const randomBits = (dice: Dice, size: number, part: number) => {
  const bits = newBits(size)
  for (let i = 0; i < size; i++) if (dice.next() < part) setBit(bits, i)
  return bits
}

test.each([1, 31, 33, 255, 256, 257, 3000])('counts the intersection of two sets of %i', (size) => {
  const dice = new Dice(size)
  for (const part of [0, 0.1, 0.5, 1]) {
    const members = randomBits(dice, size, 0.6)
    const set = randomBits(dice, size, part)
    const sets = Int32Array.from([...randomBits(dice, size, 0.5), ...set])
    expect(countBoth(sets, set.length, members)).toBe(countBits(intersect(set, members)))
  }
})

test('codes of some rows are counted by their sets when the rows are many', () => {
  const dice = new Dice(1)
  const size = 1000
  const codes = Array.from({ length: size }, () => dice.below(4))
  const sets = [0, 1, 2, 3].map((code) => {
    const bits = newBits(size)
    for (const [i, one] of codes.entries()) if (one === code) setBit(bits, i)
    return [...bits]
  })
  const bitmaps = Int32Array.from(sets.flat())
  const members = randomBits(dice, size, 0.5)
  const count = countBits(members)
  const expected = [0, 0, 0, 0]
  for (const [i, code] of codes.entries()) {
    if (((members[i >>> 5]! >>> (i & 31)) & 1) === 1) expected[code]!++
  }
  expect([...countByBitmaps(bitmaps, { members, count }, 3)!]).toEqual(expected)
  const few = newBits(size)
  setBit(few, 7)
  expect(countByBitmaps(bitmaps, { members: few, count: 1 }, 3)).toBeUndefined()
})
