import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomFrom } from '../../../../fixtures/random.ts'
import { depth } from '../../../../test/depth.ts'
import { inlineExecutor, Scratch } from '../../../shared/executor.ts'
import { selectGenes } from './gene-selection.ts'
import { exactLog } from './log-table.ts'
import { ABSENT } from './matrix-format.ts'
import { medianFloor } from './median-floor.ts'
import type { Matrix } from './open-matrix.ts'
import { ROUGH_SPREAD_ERROR, roughSpreadOf } from './rough-spread.ts'
import { geneId, madeMatrix, placesOf, type Values } from './support/made-matrix.ts'

const run = { executor: inlineExecutor, signal: new AbortController().signal }

function selected(
  matrix: Matrix,
  size: number,
  leastMedian = 1,
  places: { readonly rows?: Iterable<number>; readonly columns?: Iterable<number> } = {},
) {
  const { rows = matrix.geneIds.keys(), columns = matrix.cases.keys() } = places
  const asked = { matrix, rows: placesOf(rows), columns: placesOf(columns) }
  return selectGenes(asked, { size, leastMedian }, run)
}

/** Reference implementation of the selection (data-commons.md 6.4), gene by gene. */
function plainSelection(values: Values, size: number, leastMedian: number) {
  return values
    .map((row, gene) => {
      const logs = row.filter((value) => value !== ABSENT).map(exactLog)
      const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length
      const squares = logs.reduce((sum, x) => sum + (x - mean) ** 2, 0)
      const sorted = logs.toSorted((a, b) => a - b)
      const { length } = sorted
      const median = ((sorted[(length - 1) >> 1] ?? 0) + (sorted[length >> 1] ?? 0)) / 2
      return { gene, spread: Math.sqrt(squares / length), median, length }
    })
    .filter(({ spread, median, length }) => length > 0 && spread > 0.0001 && median >= leastMedian)
    .sort((a, b) => b.spread - a.spread || a.median - b.median || a.gene - b.gene)
    .slice(0, size)
}

/** Stored value, in ten-thousandths, whose log2(value + 1) is the argument. */
const ofLog = (log: number) => (2 ** log - 1) * 10_000

test('genes that do not vary and those below the median are left out; the bound is included', async () => {
  const matrix = await madeMatrix('fixed', [
    [ofLog(1), ofLog(2), ofLog(3)],
    [ofLog(4), ofLog(4), ofLog(4)],
    [ofLog(0), ofLog(2), ofLog(9)],
    [ofLog(0), ofLog(1), ofLog(9)],
    // Exactly half of the values reach the floor of 2, and so does the median: the mean of 1 and 3.
    [ofLog(1), ofLog(3), ABSENT],
    [ofLog(0), ofLog(3), ABSENT],
    [ABSENT, ABSENT, ABSENT],
  ])
  const found = await selected(matrix, 10, 2)
  expect(found.map(({ gene_id, symbol, log2_uqfpkm_median: m }) => [gene_id, symbol, m])).toEqual([
    [geneId(2), 'S2', 2],
    [geneId(4), 'S4', 2],
    [geneId(0), 'S0', 2],
  ])
  // python3 -c "import numpy; print(numpy.std([0, 2, 9]), numpy.std([1, 3]), numpy.std([1, 2, 3]))"
  expect(found.map(({ log2_uqfpkm_stddev: spread }) => spread)).toEqual([
    expect.closeTo(3.8586123009300755, 14),
    1,
    expect.closeTo(0.816496580927726, 14),
  ])
})

test('of equal deviations the lower median is first, then the lower id, also at the cut', async () => {
  const matrix = await madeMatrix('fixed', [
    [ofLog(5), ofLog(7)],
    [ofLog(3), ofLog(5)],
    [ofLog(5), ofLog(7)],
    [ofLog(2), ofLog(4)],
  ])
  const ids = async (size: number) => (await selected(matrix, size)).map((one) => one.gene_id)
  expect(await ids(4)).toEqual([3, 1, 0, 2].map(geneId))
  expect(await ids(1)).toEqual([geneId(3)])
  expect(await ids(3)).toEqual([3, 1, 0].map(geneId))
})

test('no case has no gene', async () => {
  const matrix = await madeMatrix('fixed', [[1, 2]])
  expect(await selected(matrix, 5, 0, { columns: [] })).toEqual([])
  expect(await selected(matrix, 5, 0, { rows: [] })).toEqual([])
})

test('the bound in ten-thousandths is the least whose logarithm reaches it', () => {
  fc.assert(
    fc.property(fc.double({ min: -3, max: 18.7, noNaN: true }), (log) => {
      const { fixed } = medianFloor(log)
      expect(exactLog(fixed)).toBeGreaterThanOrEqual(log)
      if (fixed > 0) expect(exactLog(fixed - 1)).toBeLessThan(log)
    }),
    { seed: 1, numRuns: depth(1000, 5000) },
  )
  expect(medianFloor(1000).fixed).toBeGreaterThan(ABSENT)
})

const stored = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: ABSENT - 1 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, ABSENT, ofLog(1), ofLog(2)) },
)
const tables = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 12 }))
  .chain(([genes, cases]) =>
    fc.array(fc.array(stored, { minLength: cases, maxLength: cases }), {
      minLength: genes,
      maxLength: genes,
    }),
  )

test('what is selected is what the definition says', async () => {
  const limits = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom(1, 0, 2, 4.5, -1))
  await fc.assert(
    fc.asyncProperty(tables, limits, async (values, [size, leastMedian]) => {
      const found = await selected(await madeMatrix('fixed', values), size, leastMedian)
      const expected = plainSelection(values, size, leastMedian)
      expect(found.map((one) => one.log2_uqfpkm_median)).toEqual(expected.map((one) => one.median))
      expect(found.map((one) => one.gene_id)).toEqual(expected.map(({ gene }) => geneId(gene)))
      for (const [i, { spread }] of expected.entries()) {
        const ratio = (found[i]?.log2_uqfpkm_stddev ?? 0) / spread
        expect(Math.abs(ratio - 1)).toBeLessThan(1e-12)
      }
    }),
    { seed: 2, numRuns: depth(60, 300) },
  )
})

test('genes that a rough look cannot tell apart are selected as the definition says', async () => {
  const random = randomFrom(5)
  const base = Array.from({ length: 40 }, () => 10_000 + random.below(1_000_000))
  // Some genes have equal deviations, others differ by a few ten-thousandths.
  const values = Array.from({ length: 200 }, (_, gene) =>
    base.map((value) => value + (gene % 3 === 0 ? 0 : random.below(1 + value / 200))),
  )
  const found = await selected(await madeMatrix('fixed', values), 25)
  const expected = plainSelection(values, 25, 1)
  expect(found.map((one) => one.gene_id)).toEqual(expected.map(({ gene }) => geneId(gene)))
})

test('rough deviations are as near as is said', () => {
  fc.assert(
    fc.property(fc.array(stored, { minLength: 1, maxLength: 200 }), (values) => {
      const row = Uint32Array.from(values)
      const [plain] = plainSelection([values], 1, Number.NEGATIVE_INFINITY)
      const rough = roughSpreadOf(row, medianFloor(Number.NEGATIVE_INFINITY), new Scratch())
      if (values.every((value) => value === ABSENT)) expect(rough).toBeNaN()
      else expect(Math.abs(rough - (plain?.spread ?? 0))).toBeLessThan(ROUGH_SPREAD_ERROR + 0.0001)
    }),
    { seed: 6, numRuns: depth(400, 2000) },
  )
})

test('the order in which cases stand does not matter', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async (values) => {
      const one = await selected(await madeMatrix('fixed', values), 100, 0)
      const reversed = values.map((row) => row.toReversed())
      const other = await selected(await madeMatrix('fixed', reversed), 100, 0)
      const byId = (genes: typeof one) => new Map(genes.map((gene) => [gene.gene_id, gene]))
      expect([...byId(other).keys()].sort()).toEqual([...byId(one).keys()].sort())
      for (const [id, { log2_uqfpkm_stddev: spread, log2_uqfpkm_median: median }] of byId(one)) {
        expect(byId(other).get(id)?.log2_uqfpkm_median).toBe(median)
        expect((byId(other).get(id)?.log2_uqfpkm_stddev ?? 0) / spread).toBeCloseTo(1, 12)
      }
    }),
    { seed: 3, numRuns: depth(25, 100) },
  )
})

test('a gene is selected with the same numbers whichever others are asked for', async () => {
  await fc.assert(
    fc.asyncProperty(tables, fc.nat(), async (values, cut) => {
      const matrix = await madeMatrix('fixed', values)
      const at = cut % (values.length + 1)
      const rows = [...values.keys()]
      const whole = await selected(matrix, 100, 0)
      const parts = [
        ...(await selected(matrix, 100, 0, { rows: rows.slice(0, at) })),
        ...(await selected(matrix, 100, 0, { rows: rows.slice(at) })),
      ]
      const sorted = (genes: typeof parts) =>
        genes.toSorted((a, b) => (a.gene_id < b.gene_id ? -1 : 1))
      expect(sorted(parts)).toEqual(sorted([...whole]))
    }),
    { seed: 4, numRuns: depth(25, 100) },
  )
})
