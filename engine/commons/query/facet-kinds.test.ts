import { describe, expect, test } from 'vitest'
import { costOf } from './cost.ts'

import { evaluate, planOf } from './evaluate.ts'
import { FACET_KINDS } from './facet-kinds.ts'
import type { Facet, FacetCount } from './query.ts'
import { plannedCost } from './selectivity.ts'
import { joinAnswers, splitQuery } from './split.ts'
import { queryOf } from './support/ask.ts'
import { FACET_COUNTS } from './support/facet-counts.ts'
import { memoryRelease } from './support/memory-release.ts'

// Expected counts were made by hand from the documents, by data-commons.md 3.4 and 11.40.

const commons = memoryRelease({
  cases: [
    { case_id: 'a', created_datetime: '2018-09-13T13:41:51.057497-05:00' },
    { case_id: 'b', created_datetime: '2018-11-02T00:00:00.000000-05:00' },
    { case_id: 'c', created_datetime: '2019-01-01T00:00:00.000000-05:00' },
  ],
})

const ALL: readonly FacetCount[] = Object.values(FACET_COUNTS).flat()

const [{ field }] = queryOf('cases', { facets: ['created_datetime'] }).facets as [Facet]
const facetOf = (counts: readonly FacetCount[]): Facet => ({ name: 'when', field, counts })
const queryFor = (counts: readonly FacetCount[], filters?: unknown) => ({
  ...queryOf('cases', { size: 0, filters }),
  facets: [facetOf(counts)],
})
const answerOf = (counts: readonly FacetCount[]) => evaluate(queryFor(counts), commons.arrays)
const textOf = (counts: readonly FacetCount[]) =>
  Buffer.from(answerOf(counts).aggregations ?? []).toString()

describe('each way to count a field', () => {
  test('has an entry and a sample', () => {
    expect(Object.keys(FACET_COUNTS).toSorted()).toEqual(Object.keys(FACET_KINDS).toSorted())
  })

  test('answers something of its own', () => {
    const texts = ALL.map((count) => textOf([count]))
    expect(new Set(texts).size).toBe(ALL.length)
    for (const text of texts) expect(JSON.parse(text).when).not.toEqual({})
  })

  test('combines with every other kind in one facet', () => {
    const each = Object.values(FACET_COUNTS).map(([count]) => count as FacetCount)
    const single = each.map((count) => JSON.parse(textOf([count])).when)
    expect(JSON.parse(textOf(each)).when).toEqual(Object.assign({}, ...single))
  })

  test('has a cost, and none of its costs rises when the query is planned', () => {
    const layouts = commons.layouts
    const filters = { op: '=', content: { field: 'case_id', value: 'a' } }
    for (const count of ALL) {
      const query = queryFor([count], filters)
      const without = costOf({ ...query, facets: [] }, layouts)
      expect(costOf(query, layouts), count.kind).toBeGreaterThan(without)
      const planned = plannedCost(planOf(query, commons.arrays), layouts)
      expect(planned, count.kind).toBeLessThanOrEqual(costOf(query, layouts))
    }
  })

  test('is answered the same when a query is split', () => {
    for (const count of ALL) {
      const query = {
        ...queryFor([count]),
        facets: [facetOf([count]), { ...facetOf(ALL.slice(0, 1)), name: 'other' }],
      }
      const parts = splitQuery(query, commons.layouts, 2).map((part) =>
        evaluate(part, commons.arrays),
      )
      const { aggregations } = joinAnswers(parts as [ReturnType<typeof evaluate>])
      expect(aggregations).toEqual(evaluate(query, commons.arrays).aggregations)
    }
  })
})
