import { expect, test } from 'vitest'
import { shortKey } from './request-key.ts'

test('different values have different keys, equal ones the same', () => {
  const all: readonly unknown[] = [
    'a',
    'b',
    '',
    '1',
    1,
    1.5,
    -0.5,
    true,
    'true',
    false,
    null,
    'null',
    [],
    [[]],
    ['a'],
    ['a', 'b'],
    ['a,b'],
    [['a'], 'b'],
    {},
    { a: 1 },
    { a: '1' },
    { b: 1 },
    { a: [1] },
    { a: { b: 1 } },
    '{"a":1}',
  ]
  const keys = all.map((one) => shortKey([one], 100))
  expect(new Set(keys).size).toBe(all.length)
  expect(keys).not.toContain(undefined)
  expect(all.map((one) => shortKey([structuredClone(one)], 100))).toEqual(keys)
})

test('undefined counts as null', () => {
  expect(shortKey([undefined, 1], 100)).toBe(shortKey([null, 1], 100))
})

test.each([
  ['a long text', 'x'.repeat(101)],
  ['a long list', Array.from({ length: 60 }, () => 1)],
  ['endless nesting', nested(10_000)],
  ['a function', () => 1],
  ['a number that JSON has not', [Number.NaN]],
  ['a large whole number', { a: 1n }],
])('%s has none', (_, value) => {
  expect(shortKey([value], 100)).toBeUndefined()
})

test('a value that holds itself has none', () => {
  const round: unknown[] = []
  round.push(round)
  expect(shortKey(round, 100)).toBeUndefined()
})

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}
