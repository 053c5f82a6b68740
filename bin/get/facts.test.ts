import { expect, test } from 'vitest'
import { areOfOneFile, areSameBytes, readFacts, strongTag } from './facts.ts'

const HEX = 'd41d8cd98f00b204e9800998ecf8427e'

test('a range gives the size of the whole, a whole file its length', () => {
  const headers = { 'content-range': 'bytes 5-9/40', 'content-length': '5' }
  expect(readFacts({ status: 206, headers })).toMatchObject({ size: 40, range: [5, 10] })
  expect(readFacts({ status: 200, headers })).toMatchObject({ size: 5, range: undefined })
  expect(readFacts({ status: 200, headers: {} })).toMatchObject({ size: undefined })
})

test.each(['bytes 9-5/40', 'bytes 5-40/40', 'bytes 5-9/*', 'items 1-2/3', ''])(
  'the range "%s" is none',
  (range) => {
    const facts = readFacts({ status: 206, headers: { 'content-range': range } })
    expect(facts.range).toBeUndefined()
  },
)

test('an md5 is read as hex and as base64, and nothing else', () => {
  const md5 = (text: string) => readFacts({ status: 200, headers: { 'content-md5': text } }).md5
  // openssl md5 -binary </dev/null | base64
  expect([md5(HEX.toUpperCase()), md5('1B2M2Y8AsgTpgAmY7PhCfg=='), md5('abc')]).toEqual([
    ...[HEX, HEX, undefined],
  ])
})

test('bytes are the same by size and md5, without one by size and tag', () => {
  const one = { size: 3, md5: HEX, etag: '"a"' }
  expect(areSameBytes(one, { ...one, etag: '"b"' })).toBe(true)
  expect(areSameBytes(one, { ...one, size: 4 })).toBe(false)
  expect(areSameBytes(one, { ...one, md5: HEX.replace('d', 'e') })).toBe(false)
  expect(areSameBytes(one, { ...one, md5: undefined })).toBe(true)
  const untagged = { size: 3, md5: undefined, etag: undefined }
  expect(areSameBytes(untagged, untagged)).toBe(false)
})

test('answers of one run contradict each other only in what both say', () => {
  const one = { size: 3, md5: HEX, etag: '"a"' }
  const other = { size: 3, md5: undefined, etag: undefined }
  expect(areOfOneFile(one, other)).toBe(true)
  expect(areOfOneFile(one, { ...other, size: 4 })).toBe(false)
  expect(areOfOneFile(one, { ...other, etag: '"b"' })).toBe(false)
  expect(areOfOneFile(one, { ...one, etag: '"b"' })).toBe(true)
  expect(areOfOneFile(one, { ...one, md5: HEX.replace('d', 'e') })).toBe(false)
})

test('a weak tag does not stand in If-Range', () => {
  expect([strongTag('W/"a"'), strongTag('"a"'), strongTag(undefined)]).toEqual([
    ...[undefined, '"a"', undefined],
  ])
})
