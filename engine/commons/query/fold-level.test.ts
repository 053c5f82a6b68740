import { describe, expect, test } from 'vitest'
import { membersOf, newBits, setBit } from '../../shared/arrays/bitset.ts'
import { foldOwn } from './fold-level.ts'
import { Dice } from './support/random-commons.ts'

describe('parents of some elements', () => {
  /** Numbers of elements per parent. */
  const shapes: Readonly<Record<string, (dice: Dice) => number>> = {
    'one each': () => 1,
    'mostly one': (dice) => (dice.next() < 0.05 ? dice.below(4) : 1),
    'none or several': (dice) => dice.of([0, 2, 3]),
    'rarely very many': (dice) => (dice.next() < 0.01 ? 28 + dice.below(80) : 1),
    'mostly none': (dice) => (dice.next() < 0.05 ? 1 : 0),
  }

  test.each(Object.entries(shapes))('are found where these are %s', (_, shape) => {
    for (const size of [1, 31, 32, 33, 64, 500, 2017]) {
      for (const part of [0, 0.002, 0.1, 0.7, 1]) {
        const dice = new Dice(size)
        const offsets = new Uint32Array(size + 1)
        const irregular = newBits(size)
        const parents: number[] = []
        for (let parent = 0; parent < size; parent++) {
          const count = shape(dice)
          if (count !== 1) setBit(irregular, parent)
          for (let i = 0; i < count; i++) parents.push(parent)
          offsets[parent + 1] = parents.length
        }
        const some = newBits(parents.length)
        const expected = new Set<number>()
        for (const [element, parent] of parents.entries()) {
          if (dice.next() >= part) continue
          setBit(some, element)
          expected.add(parent)
        }
        const reached = newBits(size)
        foldOwn(offsets, irregular, some, reached)
        expect([...membersOf(reached, 0, size)].slice(0, expected.size)).toEqual([...expected])
        expect(reached.reduce((sum, word) => sum + (word === 0 ? 0 : 1), 0)).toBe(
          new Set([...expected].map((parent) => parent >>> 5)).size,
        )
      }
    }
  })
})
