import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { balanceFiles } from './balance-files.ts'

const inputs = (sizes: readonly number[]) =>
  sizes.map((size, i) => ({ name: `${i}`, path: `/${i}`, size, modified: '0' }))

test('each file is whole in one group, and no group has more than the mean and one file', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (sizes, groups) => {
        const made = balanceFiles(inputs(sizes), groups)
        const numbers = made.flat().map(({ input }) => input)
        expect(numbers.toSorted((a, b) => a - b)).toEqual(sizes.map((_, i) => i))
        for (const { input, start, end } of made.flat()) {
          expect([start, end]).toEqual([0, sizes[input]])
        }
        const total = sizes.reduce((sum, size) => sum + size, 0)
        const most = total / made.length + Math.max(...sizes)
        for (const group of made) {
          expect(group.reduce((sum, { end }) => sum + end, 0)).toBeLessThanOrEqual(most)
        }
      },
    ),
    { seed: 83 },
  )
})

test('one large file among small ones is alone', () => {
  const made = balanceFiles(inputs([10, 10, 40, 10, 10]), 2)
  expect(made.map((group) => group.map(({ input }) => input))).toEqual([[2], [0, 1, 3, 4]])
})

test('there are no more groups than files, and one where there is none', () => {
  expect(balanceFiles(inputs([1, 2]), 10)).toHaveLength(2)
  expect(balanceFiles([], 3)).toEqual([[]])
})
