import { expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { disjointRanges } from './facet-ranges.ts'
import type { FacetCount, NumberRange } from './query.ts'
import { queryOf } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

const ages = [
  ['a', [10, 4]],
  ['b', [7]],
  ['c', []],
  ['d', [7, 12.5]],
  ['e', [-3]],
] as const
const commons = memoryRelease({
  cases: ages.map(([case_id, values]) => ({
    case_id,
    diagnoses: values.map((age_at_diagnosis) => ({ age_at_diagnosis })),
  })),
})

function countOf(count: FacetCount, filters?: unknown) {
  const query = queryOf('cases', { facets: ['diagnoses.age_at_diagnosis'], size: 0, filters })
  const [facet] = query.facets
  if (!facet) throw new Error('no facet')
  const { aggregations } = evaluate(
    { ...query, facets: [{ ...facet, counts: [count] }] },
    commons.arrays,
  )
  return JSON.parse(Buffer.from(aggregations ?? []).toString())['diagnoses.age_at_diagnosis']
}

// python3 -c "import numpy as n; a=n.array([10,4,7,7,12.5,-3]); print(a.mean(), a.var(), a.std(), (a*a).sum(), n.percentile(a,[25,50,75]))"
// 6.25 24.145833333333332 4.913840995935189 379.25 [4.75 7.   9.25]
test('moments and quartiles are those of NumPy', () => {
  const { summary } = countOf({ kind: 'summary' })
  expect(summary).toMatchObject({ count: 6, min: -3, max: 12.5, avg: 6.25, sum: 37.5 })
  expect(summary).toMatchObject({ sum_of_squares: 379.25 })
  expect(summary).toMatchObject({ quartile_1: 4.75, median: 7, quartile_3: 9.25 })
  expect(summary.variance).toBeCloseTo(24.145833333333332, 12)
  expect(summary.std_deviation).toBeCloseTo(4.913840995935189, 12)
})

test('without a value there are no moments', () => {
  const filters = { op: '=', content: { field: 'case_id', value: 'c' } }
  const { summary } = countOf({ kind: 'summary' }, filters)
  expect(summary).toMatchObject({ count: 0, min: null, variance: null, median: null })
})

test('ranges count each record once, whether they overlap or not', () => {
  const ranges: readonly NumberRange[] = [
    { from: 4, to: 10 },
    { from: 10, to: 13 },
    { from: 0, to: 100 },
    { to: 7 },
    { from: 7 },
    { from: 20, to: 30 },
    { from: 9, to: 3 },
  ]
  const counted = ranges.map(
    ({ from = -Infinity, to = Infinity }) =>
      ages.filter(([, values]) => values.some((age) => age >= from && age < to)).length,
  )
  expect(counted).toEqual([3, 2, 3, 2, 3, 0, 0])
  expect(countOf({ kind: 'ranges', ranges })).toEqual({ ranges: counted })
})

test('neighbouring ranges are one pass', () => {
  expect(disjointRanges([{ to: 1 }, { from: 1, to: 2 }, { from: 2 }])).toEqual([[0, 1, 2]])
  expect(
    disjointRanges([
      { from: 0, to: 5 },
      { from: 3, to: 9 },
    ]),
  ).toEqual([[0], [1]])
})

test('conditions on its own field apply to a facet that requests it', () => {
  const filters = { op: '=', content: { field: 'diagnoses.age_at_diagnosis', value: 10 } }
  const query = queryOf('cases', { facets: ['case_id'], size: 0, filters })
  const own = queryOf('cases', { facets: ['diagnoses.age_at_diagnosis'], size: 0, filters })
  const facets = [
    ...query.facets,
    ...own.facets,
    ...own.facets.map((one) => ({ ...one, name: 'kept', isFiltered: true as const })),
  ]
  const { aggregations } = evaluate({ ...query, facets }, commons.arrays)
  const found = JSON.parse(Buffer.from(aggregations ?? []).toString())
  expect(found.kept.stats).toMatchObject({ count: 2, min: 4, max: 10 })
  expect(found['diagnoses.age_at_diagnosis'].stats).toMatchObject({ count: 6 })
})
