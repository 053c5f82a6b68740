import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scratch } from '../../../shared/executor.ts'
import { ABSENT } from './matrix-format.ts'
import { middleValues } from './middle-values.ts'
import { selectRank } from './select-rank.ts'

const stored = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: ABSENT }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 6384, 6385, ABSENT, ABSENT - 1, ABSENT - 10_000) },
  { weight: 4, arbitrary: fc.double({ min: 0, max: 32, noNaN: true }).map((x) => 2 ** x - 1) },
)

/** Middle values of a sorted array by definition. */
function middleOf(sorted: Uint32Array | Float64Array) {
  const { length } = sorted
  if (length === 0) return { lower: Number.NaN, upper: Number.NaN }
  return { lower: sorted[(length - 1) >> 1], upper: sorted[length >> 1] }
}

test('the middle of whole numbers is that of all of them in order', () => {
  const scratch = new Scratch()
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 300 }), (values) => {
      const row = Uint32Array.from(values)
      const present = row.filter((value) => value !== ABSENT).sort()
      expect(middleValues(row, scratch)).toEqual(middleOf(present))
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('the middle of long rows is found whatever a sample of them tells', () => {
  const scratch = new Scratch()
  const shapes: readonly ((i: number, count: number) => number)[] = [
    (i) => i,
    (i, count) => count - i,
    () => 7,
    (i, count) => Math.min(i, count - i),
    (i) => i % 2,
    // Values at the positions that the sample uses differ from all others.
    (i, count) => (i % Math.floor(count / (2 * Math.floor(Math.sqrt(count)))) === 0 ? 5e6 : i),
    (i) => (i % 3 === 0 ? ABSENT : i),
    (i) => (i % 10 === 0 ? i : ABSENT),
    (i) => ABSENT - 1 - (i % 5),
    () => ABSENT,
  ]
  for (const count of [100, 101, 500, 1000, 9999, 10_000]) {
    for (const [n, shape] of shapes.entries()) {
      const row = Uint32Array.from({ length: count }, (_, i) => shape(i, count))
      const present = row.filter((value) => value !== ABSENT).sort()
      const seen = { count, n, middle: middleValues(row, scratch) }
      expect(seen).toEqual({ ...seen, middle: middleOf(present) })
    }
  }
})

test('the middle of doubles is that of all of them in order', () => {
  const scratch = new Scratch()
  const double = fc.oneof(fc.double({ min: 0 }), fc.constantFrom(0, 1, Number.NaN))
  fc.assert(
    fc.property(fc.array(double, { maxLength: 200 }), (values) => {
      const row = Float64Array.from(values)
      const present = row.filter((value) => !Number.isNaN(value)).sort()
      expect(middleValues(row, scratch)).toEqual(middleOf(present))
    }),
    { seed: 2, numRuns: 2000 },
  )
})

test('a rank is found in rows that are in order, in reverse, equal, or like an organ pipe', () => {
  const count = 100_001
  const shapes: readonly ((i: number) => number)[] = [
    (i) => i,
    (i) => count - i,
    () => 7,
    (i) => Math.min(i, count - i),
    (i) => i % 3,
  ]
  for (const shape of shapes) {
    const values = Uint32Array.from({ length: count }, (_, i) => shape(i))
    const sorted = values.toSorted()
    for (const rank of [0, 1, 50_000, count - 1]) {
      expect(selectRank(values.slice(), count, rank)).toBe(sorted[rank])
    }
  }
})
