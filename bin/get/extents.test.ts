import { expect, test } from 'vitest'
import { type Extent, Extents } from './extents.ts'

test('extents that touch or overlap become one, in order', () => {
  const there = new Extents([
    [10, 20],
    [30, 40],
    [5, 5],
  ])
  there.add([20, 25])
  expect(there.list).toEqual([
    [10, 25],
    [30, 40],
  ])
  there.add([24, 31])
  there.add([0, 1])
  expect(there.list).toEqual([
    [0, 1],
    [10, 40],
  ])
  expect(there.total).toBe(31)
})

test('gaps are what is missing, in chunks of the size that was asked for', () => {
  const there = new Extents([
    [4, 6],
    [9, 10],
  ])
  expect(there.gaps(12, 2)).toEqual([
    [0, 2],
    [2, 4],
    [6, 8],
    [8, 9],
    [10, 12],
  ])
  expect(there.gaps(5, 100)).toEqual([[0, 4]])
  expect(new Extents().gaps(0, 10)).toEqual([])
  expect(new Extents([[0, 7]]).gaps(7, 10)).toEqual([])
})

test('what is there and its gaps are all bytes once, whatever order they come in', () => {
  // A linear congruential sequence, which is reproducible and has no pattern at the edges.
  let state = 7
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % below
  }
  for (let round = 0; round < 200; round++) {
    const bytes = new Uint8Array(64)
    const there = new Extents()
    for (let i = 0; i < 6; i++) {
      const start = next(60)
      const extent: Extent = [start, Math.min(64, start + next(12))]
      there.add(extent)
      bytes.fill(1, ...extent)
    }
    const marked = new Uint8Array(64)
    for (const [start, end] of there.list) marked.fill(1, start, end)
    expect(marked, `round ${round}`).toEqual(bytes)
    for (const [start, end] of there.gaps(64, 5)) {
      expect(marked.subarray(start, end).every((byte) => byte === 0)).toBe(true)
      marked.fill(1, start, end)
    }
    expect(marked.every((byte) => byte === 1)).toBe(true)
  }
})
