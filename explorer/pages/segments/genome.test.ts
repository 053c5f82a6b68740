import { expect, test } from 'vitest'
import { binsOf, extentsOf, shareOf } from './genome.ts'

const group = (name: string) => ({ name, filter: undefined, cases: 3, shared: 0 })
const answer = {
  tested: 4,
  bin_size: 100,
  unplaced: 0,
  chromosomes: [
    { chromosome: '1', length: 250, gains: [1, 2, 0], losses: [0, 0, 4] },
    { chromosome: '2', length: 100, gains: [3], losses: [0] },
  ],
  cases: [],
}

test('chromosomes lie end to end, and their last bin ends with them', () => {
  expect(extentsOf(answer)).toEqual([
    { name: '1', from: 0, to: 250 },
    { name: '2', from: 250, to: 350 },
  ])
  const bins = binsOf([group('a')], [answer])
  expect(bins.map(({ start, end }) => [start, end])).toEqual([
    [1, 100],
    [101, 200],
    [201, 250],
    [1, 100],
  ])
  expect(bins.map(({ from, to }) => [from, to])).toEqual([
    [0, 100],
    [100, 200],
    [200, 250],
    [250, 350],
  ])
  expect(bins.map(({ gains, losses, tested }) => shareOf(gains - losses, tested))).toEqual([
    0.25, 0.5, -1, 0.75,
  ])
})

test('a group without tested cases has no shares', () => {
  expect(shareOf(0, 0)).toBe(0)
})
