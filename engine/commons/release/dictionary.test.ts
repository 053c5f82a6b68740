import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Dictionary } from './dictionary.ts'
import { NumberTable } from './number-table.ts'
import { ascending } from './support/naive.ts'
import { TextValues } from './text-values.ts'

function dictionaryOf(values: readonly (string | number)[]): Dictionary {
  const [texts, numbers] = [new TextValues(), new NumberTable()]
  for (const value of values) {
    if (typeof value === 'number') numbers.codeOf(value)
    else texts.codeOf(Buffer.from(value), 0, Buffer.byteLength(value))
  }
  const isNumber = typeof values[0] === 'number'
  return new Dictionary((isNumber ? numbers : texts).pack())
}

const uuid = fc.uuid().map((id) => id.toLowerCase())
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((one) => one.toWellFormed()),
  fc.constantFrom('', 'a', 'ab', 'é', '\u{10000}', '\uffff', '\u0000'),
)

describe.each([
  ['texts', text],
  ['UUIDs', uuid],
  ['hex digits', uuid.map((id) => id.replaceAll('-', ''))],
  ['numbers', fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.nat(9)).map((one) => one + 0)],
])('a dictionary of %s', (_, one: fc.Arbitrary<string | number>) => {
  const given = fc.tuple(fc.array(one, { minLength: 1, maxLength: 30 }), one)

  test('finds what it holds and nothing else, and knows where all else would be', () => {
    const property = fc.property(given, ([values, other]) => {
      const dictionary = dictionaryOf(values)
      const sorted = [...new Set(values)].sort(ascending)
      expect(dictionary.size).toBe(sorted.length)
      for (const value of [...values, other]) {
        expect(dictionary.find(value)).toBe(sorted.indexOf(value) + 1)
        const below = sorted.filter((entry) => ascending(entry, value) < 0).length
        expect(dictionary.lowerBound(value)).toBe(below + 1)
      }
    })
    fc.assert(property, { seed: 12, numRuns: 200 })
  })

  test('gives back its values, and the codes of those that match', () => {
    const property = fc.property(given, ([values]) => {
      const dictionary = dictionaryOf(values)
      const sorted = [...new Set(values)].sort(ascending)
      sorted.forEach((value, i) => {
        expect(dictionary.text(i + 1)).toBe(String(value))
        expect(dictionary.number(i + 1)).toBe(typeof value === 'number' ? value : Number.NaN)
      })
      const seen: string[] = []
      const odd = dictionary.matching((entry) => {
        seen.push(entry)
        return seen.length % 2 === 0
      })
      expect(seen).toEqual(sorted.map(String))
      expect(Array.from(odd)).toEqual(sorted.map((_, i) => i + 1).filter((code) => code % 2 === 0))
    })
    fc.assert(property, { seed: 13, numRuns: 100 })
  })
})

test('any text has its place among UUIDs', () => {
  const ids = Array.from({ length: 9 }, (_, i) => `${i}0000000-0000-4000-8000-000000000000`)
  const dictionary = dictionaryOf(ids)
  const places = ['', '2', '20000000', '30000000-0000-4000-8000-0000000000000', '3000000A', 'x']
  const expected = places.map((place) => ids.filter((id) => id < place).length + 1)
  expect(places.map((place) => dictionary.lowerBound(place))).toEqual(expected)
  expect(places.map((place) => dictionary.find(place))).toEqual(places.map(() => 0))
  expect(dictionary.find(ids[4]!.toUpperCase().replace('0', 'A'))).toBe(0)
})

test('texts and numbers are not compared with each other', () => {
  const [texts, numbers] = [dictionaryOf(['1', '2']), dictionaryOf([1, 2])]
  expect([texts.find(1), texts.lowerBound(1)]).toEqual([0, 3])
  expect([numbers.find('1'), numbers.lowerBound('1')]).toEqual([0, 3])
  expect([numbers.find(Number.NaN), numbers.find(-0)]).toEqual([0, 0])
  expect(dictionaryOf([0]).find(-0)).toBe(1)
})

test('more entries than are decoded at a time match in order', () => {
  for (const sign of ['', 'é']) {
    const values = Array.from({ length: 10_000 }, (_, i) => `${sign}${String(i).padStart(5, '0')}`)
    const codes = dictionaryOf(values).matching((entry) => entry.endsWith('7'))
    expect(Array.from(codes)).toEqual(Array.from({ length: 1000 }, (_, i) => 10 * i + 8))
  }
})

test('entries of two dictionaries are compared whatever their forms', () => {
  const id = '30000000-0000-4000-8000-000000000000'
  const packed = dictionaryOf([id])
  const plain = dictionaryOf(['2', id, '4'])
  expect([1, 2, 3].map((code) => Math.sign(packed.compareTo(1, plain, code)))).toEqual([1, 0, -1])
  expect([1, 2, 3].map((code) => Math.sign(plain.compareTo(code, packed, 1)))).toEqual([-1, 0, 1])
  expect(Math.sign(plain.compareTo(1, plain, 3))).toBe(-1)
  expect(packed.compareTo(1, dictionaryOf([id]), 1)).toBe(0)
})

test('a large dictionary of UUIDs finds what it holds, whether they are spread evenly or not', () => {
  const shapes = [
    (id: string) => id,
    // Nearly all begin alike, or are at one end.
    (id: string, i: number) => (i % 50 === 0 ? id : `7fffffff${id.slice(8)}`),
    (id: string, i: number) =>
      `${(i % 7 === 0 ? 'ffffffff' : '00000000').slice(0, 7)}${id.slice(7)}`,
    (_: string, i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  ]
  const ids = fc.sample(uuid, { seed: 12, numRuns: 3000 })
  for (const shape of shapes) {
    const all = [...new Set(ids.map(shape))].sort()
    const held = all.filter((_, i) => i % 3 !== 1)
    const dictionary = dictionaryOf(held)
    const codes = new Map(held.map((id, i) => [id, i + 1]))
    for (const id of all) expect(dictionary.find(id)).toBe(codes.get(id) ?? 0)
  }
})
