import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mostPrintedBytes, NumberTexts, printCells, templateOf } from './cell-template.ts'

/** Encodes names as JSON strings, as a template needs them. */
function namesOf(names: readonly string[]) {
  const texts = names.map((name) => JSON.stringify(name))
  let end = 0
  const ends = Uint32Array.from(texts, (text) => {
    end += Buffer.byteLength(text)
    return end
  })
  return { bytes: Buffer.from(texts.join('')), ends }
}

function printed(names: readonly string[], numbers: Float64Array, texts = new NumberTexts()) {
  const template = templateOf(namesOf(names))
  const target = Buffer.alloc(mostPrintedBytes(template) + 1)
  return target.toString('utf8', 1, printCells(template, numbers, texts, target, 1))
}

const number = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: -9, max: 9 }) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)

test('any cells are read back as they were, to the bit', () => {
  const cells = fc.array(fc.record({ cell_id: fc.string(), value: number }), { maxLength: 60 })
  const texts = new NumberTexts()
  fc.assert(
    fc.property(cells, (list) => {
      const numbers = Float64Array.from(list, ({ value }) => value)
      const names = list.map(({ cell_id: name }) => name)
      for (const text of [printed(names, numbers, texts), printed(names, numbers, texts)]) {
        const read = JSON.parse(`[${text}]`) as readonly { readonly value: number }[]
        expect(read).toEqual(list)
        expect(read.every(({ value }, i) => Object.is(value, numbers[i]))).toBe(true)
      }
    }),
    { seed: 63 },
  )
})

test('numbers are as short as reads back the same, and look like doubles', () => {
  const numbers = [1, -0, 1e21, 5e-324, -1.7976931348623157e308, 0.1, 123456789012345680000]
  const words = [Number.NaN, Infinity, -Infinity]
  const text = printed(Array(10).fill('c'), Float64Array.of(...numbers, ...words))
  expect([...text.matchAll(/"value":([^}]+)}/g)].map(([, value]) => value)).toEqual([
    ...['1.0', '-0.0', '1e+21', '5e-324', '-1.7976931348623157e+308', '0.1'],
    ...['123456789012345680000.0', 'null', 'null', 'null'],
  ])
})

test('numbers that fall on the same slot of what is remembered do not mix', () => {
  const texts = new NumberTexts()
  const many = Float64Array.from({ length: 200_000 }, (_, i) => Math.sqrt(i % 70_000))
  const names = Array(many.length).fill('c')
  const read = JSON.parse(`[${printed(names, many, texts)}]`) as readonly { value: number }[]
  expect(read).toHaveLength(many.length)
  // Comparing one by one is much faster than comparing whole arrays by `toEqual`.
  expect(read.findIndex(({ value }, i) => !Object.is(value, many[i]))).toBe(-1)
})
