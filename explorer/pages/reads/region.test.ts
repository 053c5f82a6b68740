import { expect, test } from 'vitest'
import { moved, parseRegion, referenceNamed, zoomed } from './region.ts'

test('a region is read with and without commas, and with one place alone', () => {
  const tp53 = { reference: 'chr17', start: 7_661_779, end: 7_687_550 }
  expect(parseRegion('chr17:7,661,779-7,687,550')).toEqual(tp53)
  expect(parseRegion(' chr17:7661779-7687550 ')).toEqual(tp53)
  expect(parseRegion('chr17:100')).toEqual({ reference: 'chr17', start: 100, end: 300 })
})

test.each(['', 'TP53', 'chr17', 'chr17:9-3', 'chr17:0-5', 'chr17:a-b'])(
  '"%s" is no region',
  (text) => {
    expect(parseRegion(text)).toBeUndefined()
  },
)

test('a region stays within its reference', () => {
  const region = { reference: 'a', start: 1, end: 100 }
  expect(zoomed(region, 2, 150)).toEqual({ reference: 'a', start: 1, end: 150 })
  expect(moved(region, 0.5, 1000)).toEqual({ reference: 'a', start: 51, end: 150 })
  expect(moved(region, -1, 1000)).toEqual(region)
  expect(moved(region, 5, 320)).toEqual({ reference: 'a', start: 221, end: 320 })
  // The middle stays and the length is halved.
  expect(zoomed({ reference: 'a', start: 101, end: 300 }, 0.5, 1000)).toEqual({
    reference: 'a',
    start: 151,
    end: 250,
  })
})

test('a chromosome is found with and without chr', () => {
  expect(referenceNamed('17', [{ name: 'chr17' }])).toBe('chr17')
  expect(referenceNamed('17', [{ name: '17' }])).toBe('17')
  expect(referenceNamed('17', [{ name: 'chr1' }])).toBeUndefined()
})
