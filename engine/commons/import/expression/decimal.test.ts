import fc from 'fast-check'
import { expect, test } from 'vitest'
import { doubleOf, NEEDS_DOUBLE, NO_VALUE, readDecimal } from './decimal.ts'
import { asDouble, asFixed, isFixed } from './fixed.ts'

const read = (text: string) => readDecimal(Buffer.from(`\t${text}\t`), 1, 1 + text.length)

/** Computes the expected value with BigInt only, so that no power can be inexact. */
function fixedOf(digits: string, decimals: number, exponent: number): number {
  const power = 4 - decimals + exponent
  const whole = BigInt(digits) * 10n ** BigInt(Math.max(power, 0))
  const divisor = 10n ** BigInt(Math.max(-power, 0))
  if (whole % divisor !== 0n || whole / divisor > 4_294_967_294n) return NEEDS_DOUBLE
  return Number(whole / divisor)
}

test('ten-thousandths are those that long integers give, for any way to write a number', () => {
  const number = fc.record({
    whole: fc.stringMatching(/^[0-9]{1,9}$/),
    fraction: fc.stringMatching(/^[0-9]{0,3}(0{0,20}|[0-9]{0,5})$/),
    exponent: fc.option(fc.integer({ min: -8, max: 8 })),
  })
  fc.assert(
    fc.property(number, ({ whole, fraction, exponent }) => {
      const point = fraction === '' ? '' : `.${fraction}`
      const text = `${whole}${point}${exponent === null ? '' : `e${exponent}`}`
      const expected = fixedOf(whole + fraction, fraction.length, exponent ?? 0)
      expect(read(text), text).toBe(expected)
      if (expected !== NEEDS_DOUBLE) expect(asDouble(expected), text).toBe(Number(text))
    }),
    { seed: 11, numRuns: 5000 },
  )
})

test.each([
  ['0', 0],
  ['0.0000', 0],
  ['.5', 5000],
  ['5.', 50_000],
  ['1e-04', 1],
  ['1E+1', 100_000],
  ['429496.7294', 4_294_967_294],
  ['429496.7295', NEEDS_DOUBLE],
  ['429496.72940000000000000000', 4_294_967_294],
  ['0.00001', NEEDS_DOUBLE],
  ['123456789012345678901234567890', NEEDS_DOUBLE],
  ['0e99999999999', 0],
  ['1e99999999999', NEEDS_DOUBLE],
])('%s is %d ten-thousandths', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test.each([
  '',
  '-1',
  '-0',
  'NaN',
  'nan',
  'NA',
  'Inf',
  '1,5',
  '1e',
  '1e+',
  'e5',
  '.',
  '1.2.3',
  ' 1',
])('"%s" is no value', (text) => {
  expect(read(text)).toBe(NO_VALUE)
})

test('a number beyond ten-thousandths is the double nearest to it', () => {
  expect(doubleOf(Buffer.from('25608.2156838'), 0, 13)).toBe(25608.2156838)
})

test('ten-thousandths become doubles and ten-thousandths again without loss', () => {
  const edges = [0, 1, 9999, 10_000, 2 ** 31, 4_294_967_294]
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_294_967_294 }), (fixed) => {
      expect(asFixed(asDouble(fixed))).toBe(fixed)
      expect(isFixed(asDouble(fixed))).toBe(true)
    }),
    { seed: 12, numRuns: 5000, examples: edges.map((edge) => [edge]) },
  )
  expect([0.00001, 25608.2156838, 429496.7295].map(isFixed)).toEqual([false, false, false])
  expect(isFixed(Number.NaN)).toBe(true)
})
