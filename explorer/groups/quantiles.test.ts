import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantileCuts, rangeOf } from './quantiles.ts'

test('cuts are those of R', () => {
  // R: quantile(c(3, 1, 4, 1, 5, 9, 2, 6), 1:2 / 3), quantile(c(3, 1, 4, 1, 5, 9, 2, 6), 1:3 / 4)
  const values = [3, 1, 4, 1, 5, 9, 2, 6]
  const shown = (cuts: readonly number[]) => cuts.map((cut) => cut.toFixed(6))
  expect(shown(quantileCuts(values, 3))).toEqual(['2.333333', '4.666667'])
  expect(shown(quantileCuts(values, 4))).toEqual(['1.750000', '3.500000', '5.250000'])
  expect(quantileCuts([7], 3)).toEqual([7])
  expect(quantileCuts([], 3)).toEqual([])
})

test('without ties, groups differ by at most one case', () => {
  const values = fc.uniqueArray(fc.integer(), { minLength: 5, maxLength: 60 })
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 5 }), (some, parts) => {
      const cuts = quantileCuts(some, parts)
      const sizes = Array.from({ length: parts }, () => 0)
      for (const value of some) sizes[rangeOf(value, cuts)]! += 1
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(some.length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
  )
})

test('a cut belongs to the range below it', () => {
  expect([1, 2, 2.5, 3, 4].map((value) => rangeOf(value, [2, 3]))).toEqual([0, 0, 1, 1, 2])
})
