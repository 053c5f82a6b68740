import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test('one is singular, none and all others are plural', () => {
  expect([0, 1, 2, 2000].map((count) => counted(count, 'group'))).toEqual([
    '0 groups',
    '1 group',
    '2 groups',
    '2,000 groups',
  ])
  expect([1, 2].map((count) => counted(count, 'copy', 'copies'))).toEqual(['1 copy', '2 copies'])
})
