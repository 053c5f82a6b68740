import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentRange, parseRange } from './range.ts'

// The size is 10 bytes. Expected values follow RFC 9110 14.1.1, 14.1.2 and 14.2.
test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=3-', { start: 3, end: 10 }],
  ['bytes=9-', { start: 9, end: 10 }],
  ['bytes=-1', { start: 9, end: 10 }],
  ['bytes=-10', { start: 0, end: 10 }],
  ['bytes=-99999999999999999999999', { start: 0, end: 10 }],
  ['bytes=2-99999999999999999999999', { start: 2, end: 10 }],
  ['bytes=007-008', { start: 7, end: 9 }],
  ['BYTES=1-2', { start: 1, end: 3 }],
  [' bytes=1-2 ', { start: 1, end: 3 }],
  ['bytes=,1-2, ,', { start: 1, end: 3 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-11', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-000', 'unsatisfiable'],
  [null, undefined],
  ['', undefined],
  ['bytes', undefined],
  ['bytes=', undefined],
  ['bytes=-', undefined],
  ['bytes=,', undefined],
  ['bytes=5-4', undefined],
  ['bytes=99999999999999999999999-99999999999999999999998', undefined],
  ['bytes=0-1,4-5', undefined],
  ['bytes=0-1,0-1', undefined],
  ['bytes 0-1', undefined],
  ['bytes =0-1', undefined],
  ['items=0-1', undefined],
  ['bytes=0x1-2', undefined],
  ['bytes=1 - 2', undefined],
  ['bytes=+1-2', undefined],
  ['bytes=1.0-2', undefined],
  ['bytes=--1', undefined],
  ['bytes=1-2-3', undefined],
  ['bytes=١-٢', undefined],
])('%j of ten bytes', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected)
})

test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0'])('nothing has no %s', (header) => {
  expect(parseRange(header, 0)).toBe('unsatisfiable')
})

test('a satisfiable range is parsed exactly', () => {
  const sizes = fc.integer({ min: 1, max: 2 ** 50 })
  const anyRange = fc.property(sizes, fc.nat(), fc.nat(), (size, one, other) => {
    const first = Math.min(one, other) % size
    const last = Math.max(first, Math.max(one, other) % size)
    const range = parseRange(`bytes=${first}-${last}`, size)
    expect(range).toEqual({ start: first, end: last + 1 })
    expect(contentRange({ start: first, end: last + 1 }, size)).toBe(
      `bytes ${first}-${last}/${size}`,
    )
  })
  fc.assert(anyRange, { seed: 4, numRuns: 300 })
})

test('any text is accepted, and each parsed range is within the body', () => {
  const anyText = fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, size) => {
    for (const header of [text, `bytes=${text}`]) {
      const range = parseRange(header, size)
      if (range === undefined || range === 'unsatisfiable') continue
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThan(range.start)
      expect(range.end).toBeLessThanOrEqual(size)
    }
  })
  fc.assert(anyText, { seed: 5, numRuns: 1000 })
})
