import { expect, test } from 'vitest'
import { boxOf } from './boxes.ts'

const rows = (values: readonly number[]) =>
  values.map((value, index) => ({ caseId: `case ${index}`, group: 'a', value }))

test('a box has the quartiles of R, and its whiskers end at the last value within 1.5 heights', () => {
  // R: x <- c(1, 2, 4, 4.5, 5, 7, 20, -9); quantile(x, 1:3 / 4); q <- quantile(x, c(1, 3) / 4)
  // range(x[x >= q[1] - 1.5 * diff(q) & x <= q[2] + 1.5 * diff(q)])
  const [box] = boxOf('a', rows([1, 2, 4, 4.5, 5, 7, 20, -9]))
  expect(box).toMatchObject({ cases: 8, first: 1.75, median: 4.25, third: 5.5, low: 1, high: 7 })
  expect(box?.beyond.map(({ value }) => value)).toEqual([20, -9])
})

test('a single value is a box without height, and no value is no box', () => {
  expect(boxOf('a', rows([3]))).toEqual([
    { group: 'a', cases: 1, low: 3, first: 3, median: 3, third: 3, high: 3, beyond: [] },
  ])
  expect(boxOf('a', [])).toEqual([])
})
