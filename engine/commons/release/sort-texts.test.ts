import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { sortTexts } from './sort-texts.ts'

function textsOf(texts: readonly Uint8Array[]) {
  const ends = new Uint32Array(texts.length + 1)
  texts.forEach((text, i) => {
    ends[i + 1] = ends[i]! + text.length
  })
  return { bytes: new Uint8Array(Buffer.concat(texts)), ends }
}

const sorted = (texts: readonly Uint8Array[]) =>
  [...sortTexts(textsOf(texts))].map((text) => Buffer.from(texts[text - 1]!).toString('hex'))

const expected = (texts: readonly Uint8Array[]) =>
  [...texts].sort(Buffer.compare).map((text) => Buffer.from(text).toString('hex'))

test('texts of any bytes and lengths are put into the order of their bytes', () => {
  // There are few different bytes, so that many texts start alike, end inside others, and are equal.
  const byte = fc.constantFrom(0, 1, 97, 98, 255)
  const text = fc.array(byte, { maxLength: 40 }).map((bytes) => Uint8Array.from(bytes))
  const property = fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
    expect(sorted(texts)).toEqual(expected(texts))
  })
  fc.assert(property, { seed: 5, numRuns: depth(40, 200) })
})

test('texts that agree in a long beginning are distinguished by what follows', () => {
  const texts = Array.from({ length: 500 }, (_, i) =>
    Buffer.from(`${'x'.repeat(100)}${(i * 7919) % 500}${'y'.repeat(i % 60)}`),
  )
  expect(sorted(texts)).toEqual(expected(texts))
})

test('many equal texts end', () => {
  const texts = Array.from({ length: 100 }, (_, i) => Buffer.from(i % 2 ? 'same' : ''))
  expect(sorted(texts)).toEqual(expected(texts))
})

test('texts of one width need no ends', () => {
  const bytes = Uint8Array.from({ length: 16 * 1000 }, (_, i) => (i * i * 31 + (i >> 4)) % 251)
  const texts = Array.from({ length: 1000 }, (_, i) => bytes.subarray(16 * i, 16 * i + 16))
  const order = sortTexts({ bytes, count: 1000, width: 16 })
  expect([...order].map((text) => Buffer.from(texts[text - 1]!).toString('hex'))).toEqual(
    expected(texts),
  )
})

test('more texts than an index of 21 bits counts are sorted too', () => {
  const count = 2 ** 21 + 10
  const words = new Uint32Array(count)
  for (let i = 0; i < count; i++) words[i] = Math.imul(i, 2654435761)
  const bytes = new Uint8Array(words.buffer)
  const order = sortTexts({ bytes, count, width: 4 })
  const at = (text: number) => Buffer.from(bytes.buffer, 4 * (text - 1), 4).readUInt32BE()
  let falls = 0
  for (let i = 1; i < count; i++) if (at(order[i - 1]!) > at(order[i]!)) falls++
  expect(falls).toBe(0)
})
