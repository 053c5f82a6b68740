import { expect, test } from 'vitest'
import { decimalIn, wholeDigits } from './decimal.ts'

// python3 -c 'from decimal import Decimal; d = Decimal(TEXT); print(int(d) if d == int(d) else None)'
test.each([
  ['34', '34'],
  ['34.0', '34'],
  ['1e+05', '100000'],
  ['1E5', '100000'],
  // These come from a column that R wrote with sprintf("%.3f"), and with thousands separated by format(x,
  // big.mark = ".").
  ['1234.000', '1234'],
  ['1.000', undefined],
  ['-1.50e1', '-15'],
  ['+7.', '7'],
  ['.5e1', '5'],
  ['100e-2', '1'],
  ['-0.0', '0'],
  ['007', '7'],
  ['9007199254740993', '9007199254740993'],
  ['9223372036854775807.00', '9223372036854775807'],
])('the whole number %s is %s', (text, digits) => {
  expect(wholeDigits(text)).toBe(digits)
})

test.each([
  ...['1.5', '15e-1', '1e20', '1e999999999', '22,280', '>89', 'nan', 'abc', '', '.', '0x10', '1 0'],
  '1'.repeat(100),
])('%j is no whole number', (text) => {
  expect(wholeDigits(text)).toBeUndefined()
})

test('a decimal number is a double, or none', () => {
  expect(['1.5', '1e-3', '+.5', '2.'].map(decimalIn)).toEqual([1.5, 0.001, 0.5, 2])
  expect(['1e999', 'Infinity', 'nan', '1,5', ''].map(decimalIn)).toEqual(Array(5).fill(undefined))
})
