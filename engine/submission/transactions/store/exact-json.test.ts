import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJson } from '../read-json.ts'
import { readExactJson, writeExactJson } from './exact-json.ts'

test('whole numbers keep their digits up to 64 bits; others are doubles', () => {
  const text =
    '{"a":9007199254740993,"b":[-9223372036854775808,1.5],"c":1e30,"d":"12345678901234567","e":7}'
  const value = {
    a: 9007199254740993n,
    b: [-9223372036854775808n, 1.5],
    c: 1e30,
    d: '12345678901234567',
    e: 7,
  }
  expect(readExactJson(text)).toEqual(value)
  expect(writeExactJson(value)).toBe(text.replace('1e30', '1e+30'))
})

test('any written value is read back, as from a body', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(null, true, false),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }),
    ),
  }))
  const property = fc.property(fc.record({ deep: tree, long: fc.constant(2n ** 60n) }), (value) => {
    const text = writeExactJson(value)
    const read = readExactJson(text)
    expect(writeExactJson(read)).toBe(text)
    expect(read).toEqual(readJson(text))
  })
  fc.assert(property, { seed: 3, numRuns: 500 })
})
