import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { Dictionary } from './dictionary.ts'
import { NumberTable } from './number-table.ts'
import { TextValues } from './text-values.ts'
import type { PackedValues } from './value-table.ts'

/** Returns the value to which each value is mapped by its rank and the dictionary. */
function throughDictionary({ distinct, facts, arrays, ranks }: PackedValues, codes: number[]) {
  const dictionary = new Dictionary({ distinct, facts, arrays })
  expect(dictionary.size).toBe(distinct)
  return { dictionary, texts: codes.map((code) => dictionary.text(ranks[code]!)) }
}

function packTexts(texts: readonly string[]) {
  const table = new TextValues()
  const codes = texts.map((text) => {
    // The text is not at the start of its buffer.
    const bytes = Buffer.from(`##${text}#`)
    return table.codeOf(bytes, 2, bytes.length - 1)
  })
  return { codes, ...throughDictionary(table.pack(), codes) }
}

const uuid = (i: number) => {
  const hex = Math.imul(i + 1, 2654435761)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
  return `${hex.replace('-', '0')}-0000-4000-8000-${String(i).padStart(12, '0')}`
}

const byBytes = (texts: Iterable<string>) =>
  [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

const entries = (dictionary: Dictionary) =>
  Array.from({ length: dictionary.size }, (_, i) => dictionary.text(i + 1))

describe('texts', () => {
  test('every text keeps itself, and the dictionary holds each once in order of its bytes', () => {
    const one = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
      fc.constantFrom('', 'a', 'a\u0000', 'é', '\u{10000}', '\uffff'),
      fc.nat(20).map(uuid),
      fc.nat(20).map((i) => uuid(i).replaceAll('-', '')),
    )
    const property = fc.property(fc.array(one, { maxLength: 100 }), (texts) => {
      const packed = packTexts(texts)
      expect(packed.texts).toEqual(texts)
      expect(entries(packed.dictionary)).toEqual(byBytes(texts))
    })
    fc.assert(property, { seed: 6, numRuns: depth(100, 300) })
  })

  test('equal texts have equal codes, new ones the next number', () => {
    expect(packTexts(['b', 'a', 'b', '', 'a', '']).codes).toEqual([1, 2, 1, 3, 2, 3])
  })

  test.each([
    ['UUIDs', uuid],
    ['hex digits', (i: number) => uuid(i).replaceAll('-', '')],
  ])('%s alone are kept as 16 bytes', (_, textOf) => {
    const table = new TextValues()
    const texts = Array.from({ length: 100 }, (_, i) => textOf(i))
    const codes = texts.map((text) => table.codeOf(Buffer.from(text), 0, text.length))
    const packed = table.pack()
    expect(packed.arrays.bytes).toHaveLength(1600)
    expect(packed.facts.width).toBe(16)
    const { dictionary, texts: back } = throughDictionary(packed, codes)
    expect(back).toEqual(texts)
    expect(entries(dictionary)).toEqual(byBytes(texts))
  })

  test.each([
    'x',
    uuid(3).toUpperCase(),
    uuid(3).replaceAll('-', ''),
    uuid(3).replace('-', '0'),
    `${uuid(3).slice(0, -1)}g`,
    `${uuid(3).slice(0, -1)}`,
    `g${uuid(3).slice(1)}`,
  ])('one text that is no UUID turns all into texts (%s)', (other) => {
    const texts = [uuid(1), uuid(2), uuid(1), other, uuid(2), uuid(7)]
    const packed = packTexts(texts)
    expect(packed.codes).toEqual([1, 2, 1, 3, 2, 4])
    expect(packed.texts).toEqual(texts)
  })

  test.each([
    ['UUIDs', uuid, ''],
    ['texts', (i: number) => `text ${i}`, ''],
    ['UUIDs and then another text', uuid, 'end'],
  ])('%s that are nearly all new get ranks without repeats', (_, textOf, last) => {
    const count = 150_000
    const texts = Array.from({ length: count }, (_, i) => textOf(i))
    // At this point, the table no longer searches for equal texts.
    for (let i = 0; i < 1000; i++) texts.push(textOf((i * 97) % count), textOf(5), textOf(5))
    texts.push(last)
    const { texts: back, dictionary } = packTexts(texts)
    expect(back.findIndex((text, i) => text !== texts[i])).toBe(-1)
    expect(dictionary.size).toBe(count + 1)
    expect(new Set(entries(dictionary)).size).toBe(count + 1)
  })
})

describe('numbers', () => {
  test('every number keeps itself, and the dictionary holds each once, ascending', () => {
    const one = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.nat(5),
      fc.constantFrom(0, -0, 0.1, 2 ** 53, 5e-324, 1.7976931348623157e308),
    )
    const property = fc.property(fc.array(one, { maxLength: 200 }), (numbers) => {
      const table = new NumberTable()
      const codes = numbers.map((number) => table.codeOf(number))
      const packed = table.pack()
      const { dictionary } = throughDictionary(packed, codes)
      expect(codes.map((code) => dictionary.number(packed.ranks[code]!))).toEqual(
        numbers.map((number) => number + 0),
      )
      const distinct = [...new Set(numbers.map((number) => number + 0))].sort((a, b) => a - b)
      expect(Array.from(packed.arrays.numbers!)).toEqual(distinct)
    })
    fc.assert(property, { seed: 7, numRuns: depth(40, 200) })
  })
})
