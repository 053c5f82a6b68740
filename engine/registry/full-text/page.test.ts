import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

test('a page is what it is of all candidates in order', () => {
  // Long lists are processed with few candidates in memory. Sorted keys are the worst case.
  const keys = fc
    .tuple(fc.array(fc.nat(9), { maxLength: 40 }), fc.nat(60), fc.constantFrom(0, 1, -1))
    .map(([some, times, slope]) =>
      Array.from({ length: some.length * times }, (_, i) => some[i % some.length]! + slope * i),
    )
  fc.assert(
    fc.property(keys, fc.nat(700), fc.nat(700), fc.nat(2 ** 16), (list, from, size, odd) => {
      const places = list.map((_key, place) => place)
      // Unique numbers in no order.
      const ties = places.map((place) => (place * (2 * odd + 1)) % 2 ** 20)
      const sorted = places.toSorted((a, b) => list[b]! - list[a]! || ties[a]! - ties[b]!)
      const candidates = { keys: Float64Array.from(list), ties: Uint32Array.from(ties) }
      const page = pageOf(candidates, from, from + size)
      expect(Array.from(page)).toEqual(sorted.slice(from, from + size))
    }),
    { seed: 8, numRuns: 300 },
  )
})
