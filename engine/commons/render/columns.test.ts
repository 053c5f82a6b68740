import { expect, test } from 'vitest'
import { columnType, KINDS, kindOf, typeOfKey } from './columns.ts'

const { text, boolean, integer, fraction } = KINDS

test.each([
  ['keyword', text, 'text'],
  ['keyword', 0, 'text'],
  ['keyword', boolean, 'boolean'],
  ['keyword', integer, 'text'],
  ['keyword', boolean | text, 'text'],
  ['boolean', 0, 'boolean'],
  ['boolean', boolean, 'boolean'],
  ['boolean', text, 'text'],
  ['long', 0, 'integer'],
  ['long', integer, 'integer'],
  ['long', integer | fraction, 'double'],
  ['long', fraction, 'double'],
  ['long', integer | text, 'text'],
  ['long', integer | boolean, 'text'],
  ['double', 0, 'double'],
  ['double', integer, 'double'],
  ['float', integer | fraction, 'double'],
  ['double', text, 'text'],
] as const)(
  'a field of type %s with values of kinds %d is a column of type %s',
  (field, kinds, type) => {
    expect(columnType(field, kinds)).toBe(type)
  },
)

test('numbers beyond the safe integers count as fractions', () => {
  expect([1, -0, 2 ** 53 - 1, 2 ** 53, 0.5].map(kindOf)).toEqual([
    ...[integer, integer, integer, fraction, fraction],
  ])
})

test('positions in arrays are no part of a name', () => {
  const types = new Map([
    ['cases.samples.weight', 'double'],
    ['icd_10', 'long'],
    ['a.5p', 'float'],
  ] as const)
  expect(typeOfKey(types, 'cases.0.samples.12.weight')).toBe('double')
  expect(typeOfKey(types, 'icd_10.3')).toBe('long')
  expect(typeOfKey(types, 'a.5p')).toBe('float')
  expect(typeOfKey(types, 'unknown.0')).toBe('keyword')
})
