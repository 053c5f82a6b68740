import { expect, test } from 'vitest'
import { datasetOf } from '../datasets/index.ts'
import { resolveField } from '../datasets/resolve.ts'
import type { Answer, Facet, Query } from '../query/query.ts'
import { FACET_COUNTS } from '../query/support/facet-counts.ts'
import { parseFilter } from '../query/support/parse-filter.ts'
import type { Release } from '../release/release.ts'
import { FacetStatistics } from './facet-statistics.ts'

const facet = (name: string): Facet => {
  const field = resolveField(datasetOf('files'), name)
  if (!field) throw new Error(name)
  return { name, field, counts: [{ kind: 'values' }] }
}
const query = (...names: string[]): Query => ({
  dataset: 'files',
  facets: names.map(facet),
  sort: [],
  from: 0,
  size: 0,
})
const release = (id: string) => ({ id }) as Release

/** Returns a function that answers queries and records which facets were counted. */
function counting(value = 'x') {
  const asked: string[][] = []
  const compute = async ({ facets }: Query): Promise<Answer> => {
    asked.push(facets.map(({ name }) => name))
    const members = facets.map(({ name }) => [name, { buckets: [{ doc_count: 1, key: value }] }])
    const aggregations = Buffer.from(JSON.stringify(Object.fromEntries(members)))
    return { total: 1, rows: new Uint32Array(0), ...(facets.length > 0 && { aggregations }) }
  }
  return { asked, compute }
}
const textOf = ({ aggregations }: Answer) => Buffer.from(aggregations ?? []).toString()

test('a facet is counted once, and its answer stays the same', async () => {
  const statistics = new FacetStatistics()
  const { asked, compute } = counting()
  const first = await statistics.answer(query('access'), release('r'), compute)
  const second = await statistics.answer(query('access', 'data_type'), release('r'), compute)
  expect(asked).toEqual([['access'], ['data_type']])
  const bucket = { buckets: [{ doc_count: 1, key: 'x' }] }
  expect(JSON.parse(textOf(first))).toEqual({ access: bucket })
  expect(JSON.parse(textOf(second))).toEqual({ access: bucket, data_type: bucket })
})

test('one field under two names is counted under both names', async () => {
  const statistics = new FacetStatistics()
  const { compute } = counting()
  const asked = query('cases.project.dbgap_accession_number', 'access')
  await statistics.answer(asked, release('r'), compute)
  const answer = await statistics.answer(
    query('cases.project.registry_accession_number'),
    release('r'),
    compute,
  )
  expect(Object.keys(JSON.parse(textOf(answer)))).toEqual([
    'cases.project.registry_accession_number',
  ])
})

test('another release is counted again', async () => {
  const statistics = new FacetStatistics()
  const one = counting('one')
  const two = counting('two')
  await statistics.answer(query('access'), release('1'), one.compute)
  expect(textOf(await statistics.answer(query('access'), release('2'), two.compute))).toContain(
    'two',
  )
})

test('with a filter everything is counted every time', async () => {
  const statistics = new FacetStatistics()
  const { asked, compute } = counting()
  const filter = parseFilter(datasetOf('files'), {
    op: '=',
    content: { field: 'access', value: 'open' },
  })
  await statistics.answer({ ...query('access'), filter }, release('r'), compute)
  await statistics.answer({ ...query('access'), filter }, release('r'), compute)
  expect(asked).toEqual([['access'], ['access']])
})

test('a facet with a value per record is not kept', async () => {
  const statistics = new FacetStatistics()
  const { asked, compute } = counting('x'.repeat(2 << 20))
  await statistics.answer(query('file_id'), release('r'), compute)
  await statistics.answer(query('file_id'), release('r'), compute)
  expect(asked).toEqual([['file_id'], ['file_id']])
})

test('each way to count a field has its own cached statistics', async () => {
  const statistics = new FacetStatistics()
  const [when] = query('created_datetime').facets as [Facet]
  const all = Object.values(FACET_COUNTS).flat()
  const asked = [...all.map((count) => [count]), all]
  for (const counts of [...asked, ...asked]) {
    const { compute } = counting(JSON.stringify(counts))
    const one = { ...query(), facets: [{ ...when, counts }] }
    const answer = await statistics.answer(one, release('r'), compute)
    const [bucket] = JSON.parse(textOf(answer)).created_datetime.buckets
    expect(JSON.parse(bucket.key)).toEqual(counts)
  }
})
