import { expect, test } from 'vitest'
import { readCount } from './read-count.ts'

const LIMITS = { byDefault: 25, least: 1, most: 1000 }

test.each([
  [undefined, 25],
  ['1', 1],
  ['0025', 25],
  [1000, 1000],
] as const)('%j counts as %d', (value, count) => {
  expect(readCount(value, 'count', LIMITS)).toBe(count)
})

test.each(['0', '1001', '', '-1', '1e2', ' 1', '1.5', Number.NaN, 1e21])(
  '%j is refused',
  (value) => {
    expect(() => readCount(value, 'count', LIMITS)).toThrow(
      /"count" is no whole number from 1 to 1000/,
    )
  },
)
