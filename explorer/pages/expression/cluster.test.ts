import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterRows } from './cluster.ts'

// Expected values from R 4.2: set.seed(3); m <- matrix(round(rnorm(48), 3), 8) hclust(as.dist(1 - cor(t(m))),
// "average")$merge
const VALUES = [
  [-0.962, -1.219, -0.953, -0.484, 0.728, 0.787],
  [-0.293, 1.267, -0.648, -0.741, 0.737, -0.31],
  [0.259, -0.745, 1.224, 1.161, -0.352, 1.699],
  [-1.152, -1.131, 0.2, 1.012, 0.706, -0.795],
  [0.196, -0.716, -0.578, -0.072, 1.3, 0.348],
  [0.03, 0.253, -0.942, -1.137, 0.038, -2.265],
  [0.085, 0.152, -0.204, 0.901, -0.979, -0.162],
  [1.117, -0.308, -1.666, 0.852, 0.794, 1.131],
]
const R_CLUSTERS = [
  [0, 4],
  [1, 5],
  [7, 0, 4],
  [2, 6],
  [3, 7, 0, 4],
  [2, 6, 3, 7, 0, 4],
]

const rows = fc.array(
  fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 4, maxLength: 4 }),
  { maxLength: 12 },
)

const nobodyLeaves = new AbortController().signal

test('each row stands in the order once', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (made) => {
      const { order } = await clusterRows(
        made.map((row) => Float64Array.from(row)),
        nobodyLeaves,
      )
      expect(order.toSorted((one, other) => one - other)).toEqual(made.map((_, index) => index))
    }),
  )
})

test('the joins are those of R: what it joins first stands side by side', async () => {
  const { order } = await clusterRows(
    VALUES.map((row) => Float64Array.from(row)),
    nobodyLeaves,
  )
  for (const members of R_CLUSTERS) {
    const places = members.map((row) => order.indexOf(row))
    expect(Math.max(...places) - Math.min(...places)).toBe(members.length - 1)
  }
})

// The same call's $height.
const R_HEIGHTS = [0.18226, 0.363, 0.41158, 0.70099, 0.8151, 1.08182, 1.28016]

test('the heights are those of R, and each part of a join is below it', async () => {
  const { branches } = await clusterRows(
    VALUES.map((row) => Float64Array.from(row)),
    nobodyLeaves,
  )
  const heights = branches.map(({ height }) => height).toSorted((one, other) => one - other)
  expect(heights.map((height) => Number(height.toFixed(5)))).toEqual(R_HEIGHTS)
  for (const { parts, height, from, to, middle } of branches) {
    expect(Math.max(...parts.map((part) => part.height))).toBeLessThanOrEqual(height)
    expect(middle).toBeGreaterThan(from)
    expect(middle).toBeLessThan(to)
  }
  expect(branches.at(-1)).toMatchObject({ from: 0, to: VALUES.length - 1 })
})

test('others get their turn while many rows are ordered, and an order that nobody wants ends', async () => {
  const many = Array.from({ length: 600 }, (_, row) =>
    Float64Array.from({ length: 600 }, (_, place) => Math.sin(row * 7 + place * (row + 3))),
  )
  const leaving = new AbortController()
  // The callback runs when the work yields, long before its end.
  setTimeout(() => leaving.abort(new Error('left')))
  await expect(clusterRows(many, leaving.signal)).rejects.toThrow('left')
})
