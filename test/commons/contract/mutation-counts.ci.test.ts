import { readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  readCaseConditions,
  readPairConditions,
} from '../../../engine/commons/analysis/mutation-counts/conditions.ts'
import {
  geneCountsJob,
  keysOfGeneCounts,
} from '../../../engine/commons/analysis/mutation-counts/gene-counts.ts'
import {
  keysOfProjectCounts,
  projectCountsJob,
} from '../../../engine/commons/analysis/mutation-counts/project-counts.ts'
import { keysOfTop, topJob } from '../../../engine/commons/analysis/mutation-counts/top.ts'
import {
  MANIFEST_NAME,
  manifestText,
  readManifest,
} from '../../../engine/commons/release/manifest.ts'
import { Release } from '../../../engine/commons/release/release.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { type Executor, inlineExecutor } from '../../../engine/shared/index.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import type { App } from '../../../server/http/compose.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { available } from '../../available.ts'
import { sample } from '../../depth.ts'
import { appOf } from '../search/support/app.ts'
import { type NaiveCounts, type NaivePair, naiveCounts } from './support/naive-counts.ts'

// Tests data-commons.md 6.1, 6.6, 6.7 and 6.9 over HTTP on a made release. Numbers are compared with those
// counted in its documents one by one, form and order with the published answers.

const GENES = '/analysis/top_mutated_genes_by_project'
const CASES = '/analysis/top_mutated_cases_by_gene'
const BY_GENES = '/analysis/top_cases_counts_by_genes'
const BY_PROJECT = '/analysis/mutated_cases_count_by_project'
const GRID = '/analysis/oncogrid'
const CHANGES = '/analysis/gene_changes'

const EXAMPLES = publicData('contract/examples')

const SEED = 5
let folder = ''
let engine: Engine
let app: App
let naive: NaiveCounts
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-mutation-counts-'))
  await buildMadeRelease({
    dataFolder: folder,
    scale: 'tiny',
    seed: SEED,
    executor: inlineExecutor,
  })
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
  naive = naiveCounts('tiny', SEED)
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

type Json = Readonly<Record<string, unknown>>

interface List {
  readonly data: {
    readonly hits: readonly Json[]
    readonly pagination: Readonly<Record<string, number | string>>
  }
  readonly warnings: Json
}

const pathOf = (path: string, query: Json = {}) => {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `${path}?${new URLSearchParams(Object.fromEntries(texts))}`
}

async function get(path: string, query: Json = {}): Promise<string> {
  const answer = await app.request(pathOf(path, query))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  return answer.text()
}

const list = async (path: string, query: Json = {}) => JSON.parse(await get(path, query)) as List
const counts = async (path: string, query: Json = {}) => {
  const { took, ...frame } = JSON.parse(await get(path, query))
  expect(took).toBeTypeOf('number')
  return frame as Json
}

async function post(path: string, body: Json): Promise<string> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await app.request(path, { method: 'POST', body: JSON.stringify(body), headers })
  expect(answer.status).toBe(200)
  return answer.text()
}

async function refused(path: string, query: Json = {}): Promise<string> {
  const answer = await app.request(pathOf(path, query))
  const text = await answer.text()
  expect(text.startsWith('{"error":"')).toBe(true)
  const { error, message } = JSON.parse(text) as { error: string; message: string }
  expect([answer.status, error]).toEqual([400, message])
  return error
}

const is = (field: string, ...value: string[]) => ({ op: 'in', content: { field, value } })
const and = (...content: object[]) => ({ op: 'and', content })
const IMPACT = 'consequence.transcript.annotation.vep_impact'

/** The names of members in their order; for arrays, those of the first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)])
}

const vector = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as unknown

describe('genes that are mutated in the most cases', () => {
  test('are those of the documents, with scores and ties in order of ids', async () => {
    const { data } = await list(GENES, { size: 1000, fields: 'gene_id' })
    expect(data.hits.map(({ gene_id: id, _score: score }) => [id, score])).toEqual(
      naive.top('gene', ({ ssm }) => ssm.length > 0),
    )
    expect(data.hits.length).toBeGreaterThan(20)
    expect(data.pagination).toMatchObject({ total: data.hits.length, from: 0, size: 1000 })
  })

  test('can be those of one project, by the effect of the mutations', async () => {
    for (const project of naive.projects) {
      const filters = and(
        is('case.project.project_id', project),
        is(`case.ssm.${IMPACT}`, 'HIGH', 'MODERATE'),
      )
      const { data } = await list(GENES, { filters, size: 1000, fields: 'gene_id' })
      const found = data.hits.map(({ gene_id: id, _score: score }) => [id, score])
      const isHit = (impact: unknown) => impact === 'HIGH' || impact === 'MODERATE'
      expect([project, found]).toEqual([
        project,
        naive.top('gene', (pair) => pair.project === project && pair.impacts.some(isHit)),
      ])
    }
  })

  test('bear the fields that were asked for, a score at the end and no id', async () => {
    const text = await get(GENES, { fields: 'gene_id,symbol', size: 3 })
    expect(text.match(/"_score":\d+\.0\}/g)).toHaveLength(3)
    const { data } = JSON.parse(text) as List
    for (const hit of data.hits) expect(Object.keys(hit).at(-1)).toBe('_score')
    for (const hit of data.hits)
      expect(new Set(Object.keys(hit))).toEqual(new Set(['gene_id', 'symbol', '_score']))
    const whole = await list(GENES, { size: 1 })
    expect(Object.keys(whole.data.hits[0] ?? {})).toContain('biotype')
    expect(Object.keys(whole.data.hits[0] ?? {})).not.toContain('id')
    const unknown = await list(GENES, { fields: 'nothing', size: 1 })
    expect(unknown.warnings).toEqual({ fields: 'unrecognized values: [nothing]' })
    expect(Object.keys(unknown.data.hits[0] ?? {})).toEqual(['_score'])
  })

  test.skipIf(!available.shared)('come in the form of the published answer', async () => {
    const filters = and(
      is('case.project.project_id', ...naive.projects),
      is(`case.ssm.${IMPACT}`, 'HIGH'),
    )
    const answer = await list(GENES, { fields: 'gene_id,symbol', filters, pretty: 'true' })
    const { data, ...rest } = vector('52_analysis.json') as List
    const hits = data.hits.map(({ gene_id: id, symbol, _score: score }) => ({
      gene_id: id,
      symbol,
      _score: score,
    }))
    expect(shapeOf(answer)).toEqual(shapeOf({ data: { ...data, hits }, ...rest }))
    expect(answer.data.pagination.sort).toBe('None')
  })
})

describe('cases with the most mutated genes', () => {
  test('are those of the documents, within some genes', async () => {
    const genes = naive.genes.filter((_, i) => i % 3 === 0)
    const filters = and(is('genes.gene_id', ...genes), is(`ssms.${IMPACT}`, 'HIGH'))
    const { data } = await list(CASES, { filters, size: 1000, fields: 'case_id' })
    expect(data.hits.map(({ case_id: id, _score: score }) => [id, score])).toEqual(
      naive.top('case', ({ gene, impacts }) => genes.includes(gene) && impacts.includes('HIGH')),
    )
    expect(data.hits.length).toBeGreaterThan(3)
  })

  test('come a page at a time', async () => {
    const all = await list(CASES, { size: 1000, fields: 'case_id' })
    const page = await list(CASES, { size: 7, from: 14, fields: 'case_id' })
    expect(page.data.hits).toEqual(all.data.hits.slice(14, 21))
    const { total } = all.data.pagination
    const expected = { count: 7, total, size: 7, from: 14, sort: 'None', page: 3 }
    expect(page.data.pagination).toEqual({ ...expected, pages: Math.ceil(Number(total) / 7) })
    expect(Object.keys(page.data.pagination)).toEqual([...Object.keys(expected), 'pages'])
    expect((await list(CASES, { size: 0 })).data).toMatchObject({
      hits: [],
      pagination: { page: 1 },
    })
  })

  test('show groups that are expanded, as cases do', async () => {
    const { data } = await list(CASES, {
      fields: 'case_id',
      expand: 'demographic,project',
      size: 5,
    })
    for (const { _score, ...hit } of data.hits) {
      const path = pathOf(`/cases/${hit.case_id}`, {
        fields: 'case_id',
        expand: 'demographic,project',
      })
      expect(((await (await app.request(path)).json()) as { data: Json }).data).toEqual(hit)
    }
  })

  test.each([
    ['tsv', '\t', 'text/tab-separated-values'],
    ['csv', ',', 'text/csv'],
  ])('come as a table with their scores: %s', async (format, delimiter, type) => {
    const asked = { size: 40, fields: 'case_id,project.project_id' }
    const { data } = await list(CASES, asked)
    const answers = [
      await app.request(pathOf(CASES, { ...asked, format })),
      await app.request(pathOf(CASES, asked), { headers: { Accept: type } }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      const rows = parse(await answer.text(), { delimiter, columns: true })
      expect(rows).toEqual(
        data.hits.map(({ case_id, project, _score }) => ({
          case_id,
          _score: `${_score}.0`,
          'project.project_id': (project as Json).project_id,
        })),
      )
    }
    expect(await refused(GENES, { format: 'xml' })).toBe(
      'parameter format is not accepted; use one of json, tsv, csv',
    )
  })

  test('are restricted by a cohort, too', async () => {
    const [project = ''] = naive.projects
    const cohort = {
      case_filters: is('project.project_id', project),
      size: 1000,
      fields: 'case_id',
    }
    const { data } = await list(CASES, cohort)
    const expected = naive.top('case', (pair) => pair.project === project && pair.ssm.length > 0)
    expect(data.hits.map(({ case_id: id, _score: score }) => [id, score])).toEqual(expected)
  })
})

describe('cases of each project with mutations in some genes', () => {
  test.each([
    ['mutations', {}, ({ ssm }: NaivePair) => ssm.length > 0],
    ['copy-number changes too', { include: 'cnv' }, () => true],
  ])('are those of the documents: %s', async (_, include, passes) => {
    for (const geneIds of [naive.genes.slice(0, 1), naive.genes.slice(3, 9), naive.genes]) {
      const asked = { gene_ids: geneIds.join(), ...include }
      const { hits, aggregations } = await counts(BY_GENES, asked)
      const { total, buckets } = naive.byGenes(geneIds, passes)
      expect(hits).toEqual({ total: { value: total, relation: 'eq' }, max_score: null, hits: [] })
      const zeros = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0 }
      expect(aggregations).toEqual({ projects: { ...zeros, buckets } })
    }
  })

  test('have more with copy-number changes than without', async () => {
    const asked = { gene_ids: naive.genes.join() }
    const totalOf = async (query: Json) =>
      ((await counts(BY_GENES, query)) as { hits: { total: { value: number } } }).hits.total.value
    expect(await totalOf({ ...asked, include: 'cnv' })).toBeGreaterThan(await totalOf(asked))
    expect(await refused(BY_GENES, { ...asked, include: 'ssm' })).toBe(
      'parameter include is not accepted; use cnv',
    )
  })

  test('can be asked for in any form', async () => {
    const [one = '', two = '', three = ''] = naive.genes
    const expected = await counts(BY_GENES, { gene_ids: `${one},${two},${three}` })
    const repeated = await app.request(`${BY_GENES}/?gene_ids=${one},${two}&gene_ids=${three}`)
    expect(await repeated.json()).toMatchObject(expected)
    const posted = await post(`/v0${BY_GENES}`, { gene_ids: [three, one, two, one, 'unknown'] })
    expect(JSON.parse(posted)).toMatchObject(expected)
    expect(await refused(BY_GENES)).toBe('parameter gene_ids names 0 genes; give 1 to 1000')
    for (const name of ['format', 'fields']) {
      const wrong = { gene_ids: one, [name]: 'json' }
      expect(await refused(BY_GENES, wrong)).toBe(
        `parameter ${name} cannot be used here; leave it out`,
      )
      await counts(BY_GENES, { gene_ids: one, [name]: '' })
      await post(BY_GENES, { gene_ids: one, [name]: [] })
    }
  })

  test.skipIf(!available.shared)('come in the form of the published answer', async () => {
    const answer = JSON.parse(await get(BY_GENES, { gene_ids: naive.genes.join(), pretty: 'true' }))
    expect(shapeOf(answer)).toEqual(shapeOf(vector('51_analysis.json')))
  })
})

describe('cases of each project and those with data on mutations', () => {
  test('are those of the documents, filtered or not', async () => {
    const cohorts: readonly [Json, (one: Json) => boolean][] = [
      [{}, () => true],
      [{ filters: is('cases.demographic.gender', 'female') }, ({ gender }) => gender === 'female'],
      [{ case_filters: is('demographic.gender', 'male') }, ({ gender }) => gender === 'male'],
      [{ filters: is('ssm.chromosome', 'nowhere') }, () => false],
    ]
    for (const [query, passes] of cohorts) {
      const { hits, aggregations } = await counts(BY_PROJECT, { size: 0, ...query })
      const { total, buckets } = naive.byProject(passes)
      expect(hits).toMatchObject({ total: { value: total } })
      expect(aggregations).toMatchObject({ projects: { buckets } })
    }
  })

  test.skipIf(!available.shared)('come in the form of the published answer', async () => {
    const answer = JSON.parse(await get(BY_PROJECT, { size: 0, pretty: 'true' }))
    expect(shapeOf(answer)).toEqual(shapeOf(vector('54_analysis.json')))
  })
})

describe.each([GENES, CASES, BY_GENES, BY_PROJECT, GRID, CHANGES])('%s', (path) => {
  const least = () =>
    path === CHANGES
      ? { gene_id: naive.genes[0] ?? '' }
      : { gene_ids: naive.genes.slice(0, 3).join() }

  test('answers GET, POST and forms alike, and under /v0', async () => {
    const filters = is('case.demographic.gender', 'female', 'male')
    const bare = (text: string) => text.replace(/"took":\d+/, '')
    const expected = bare(await get(path, { ...least(), filters, size: 4 }))
    expect(bare(await post(path, { ...least(), filters, size: '4' }))).toBe(expected)
    expect(bare(await post(path, { ...least(), filters: JSON.stringify(filters), size: 4 }))).toBe(
      expected,
    )
    expect(bare(await get(`/v0${path}`, { ...least(), filters, size: 4 }))).toBe(expected)
    const form = new URLSearchParams({ ...least(), filters: JSON.stringify(filters), size: '4' })
    const answer = await app.request(path, { method: 'POST', body: form })
    expect(bare(await answer.text())).toBe(expected)
  })

  test('prints for reading when asked to', async () => {
    const pretty = await get(path, { ...least(), size: 2, pretty: 'true' })
    expect(pretty).toMatch(/^\{\n {2}"/)
    const bare = (text: string) => ({ ...JSON.parse(text), took: 0 })
    expect(bare(pretty)).toEqual(bare(await get(path, { ...least(), size: 2 })))
  })

  test('is known again by its tag', async () => {
    const first = await app.request(pathOf(path, least()))
    const tag = first.headers.get('etag') ?? ''
    const again = await app.request(pathOf(path, least()), { headers: { 'If-None-Match': tag } })
    expect([tag.length > 0, again.status]).toEqual([true, 304])
    const other = await app.request(pathOf(path, { ...least(), filters: is('case.case_id', 'x') }))
    expect(other.headers.get('etag')).not.toBe(tag)
  })

  test('says where a filter is at fault', async () => {
    const records = path === GENES ? 'genes' : 'cases'
    expect(await refused(path, { ...least(), filters: '{' })).toContain('filters')
    expect(await refused(path, { ...least(), filters: is('ssm.nothing', 'x') })).toBe(
      `filters.content.field: ${records} has no field "ssm.nothing" to filter by`,
    )
    expect(await refused(path, { ...least(), case_filters: is('nothing', 'x') })).toBe(
      'case_filters.content.field: cases has no field "nothing" to filter by',
    )
    const range = { op: '>', content: { field: 'ssm.start_position', value: 'x' } }
    expect(await refused(path, { ...least(), filters: range })).toContain('filters.content.value')
  })

  test('gives nothing for what no record has', async () => {
    const filters = is('case.project.project_id', 'NOWHERE')
    const answer = JSON.parse(await get(path, { ...least(), filters }))
    if (path === GENES || path === CASES) {
      const warnings = {
        parameters: 'unrecognized values: [gene_ids]',
        filters: 'no record has "NOWHERE" in case.project.project_id',
      }
      const pagination = { count: 0, total: 0, size: 10, from: 0, sort: 'None', page: 0, pages: 0 }
      expect(answer).toEqual({ data: { hits: [], pagination }, warnings })
    } else if (path === GRID || path === CHANGES) {
      expect(answer).toMatchObject({ total: 0, ssm_tested: 0, cnv_tested: 0 })
    } else {
      expect(answer).toMatchObject({
        hits: { total: { value: 0 } },
        aggregations: { projects: { buckets: [] } },
      })
    }
  })
})

describe('genes by cases', () => {
  interface Grid {
    readonly genes: readonly { gene_id: string; symbol: string; ssm_cases: number }[]
    readonly cases: readonly string[]
    readonly cells: readonly (readonly [number, number, number, number[], number[]])[]
  }
  const grid = async (query: Json) => JSON.parse(await get(GRID, query)) as Grid

  test('are the most mutated genes, with the mutations of each case', async () => {
    const found = await grid({ gene_size: 7, case_size: 2000 })
    const mutated = ({ ssm }: NaivePair) => ssm.length > 0
    const top = naive.top('gene', mutated).slice(0, 7)
    expect(found.genes.map((one) => [one.gene_id, one.ssm_cases])).toEqual(top)
    const genes = top.map(([id]) => id)
    const pairs = naive.pairs.filter(({ gene }) => genes.includes(gene))
    const expected = pairs.map((pair) => `${pair.gene} ${pair.case} ${new Set(pair.ssm).size}`)
    const cells = found.cells.map(
      ([gene, place, count]) => `${genes[gene]} ${found.cases[place]} ${count}`,
    )
    expect(cells.toSorted()).toEqual(expected.toSorted())
  })

  test('have symbols as they are written', async () => {
    const { genes } = await grid({ gene_size: 50, case_size: 0 })
    const { data } = await list('/genes', { size: 1000, fields: 'gene_id,symbol' })
    const symbols = new Map(data.hits.map((hit) => [hit.gene_id, hit.symbol]))
    expect(genes.map(({ symbol }) => symbol)).toEqual(genes.map((one) => symbols.get(one.gene_id)))
  })

  test('of a cohort are its own, also where it is reported by a gene', async () => {
    const [first = ''] = naive.genes
    const cohort = is('genes.gene_id', first)
    const { cases } = await grid({ case_filters: cohort, gene_size: 200, case_size: 2000 })
    const having = naive.pairs.filter(({ gene }) => gene === first).map((pair) => pair.case)
    expect(cases.toSorted()).toEqual([...new Set(having)].sort())
  })

  test('are bounded', async () => {
    expect(await refused(GRID, { gene_size: 201 })).toBe(
      'parameter gene_size is 201; give at most 200',
    )
    expect(await refused(GRID, { case_size: 2001 })).toBe(
      'parameter case_size is 2001; give at most 2000',
    )
    const gene_ids = Array.from({ length: 201 }, (_, i) => `G${i}`).join()
    expect(await refused(GRID, { gene_ids })).toBe(
      'parameter gene_ids names 201 genes; give at most 200',
    )
  })
})

describe('changes of one gene', () => {
  test('is that of the documents', async () => {
    for (const gene of naive.genes.slice(0, 12)) {
      const found = JSON.parse(await get(CHANGES, { gene_id: gene }))
      const own = naive.pairs.filter((pair) => pair.gene === gene)
      const byMutation = Map.groupBy(
        own.flatMap(({ ssm }) => [...new Set(ssm)]),
        (id) => id,
      )
      expect(found).toMatchObject({
        ssm_cases: own.filter(({ ssm }) => ssm.length > 0).length,
        cnv_cases: own.filter(({ cnv }) => cnv.length > 0).length,
        mutations_total: byMutation.size,
        mutations: [...byMutation]
          .map(([ssm_id, { length }]) => ({ ssm_id, cases: length }))
          .sort((a, b) => b.cases - a.cases || (a.ssm_id < b.ssm_id ? -1 : 1)),
      })
    }
  })

  test('needs a gene of the release', async () => {
    expect(await refused(CHANGES)).toBe('parameter gene_id is missing; give the id of a gene')
    expect(await refused(CHANGES, { gene_id: naive.genes[0] ?? '', size: 10_001 })).toBe(
      'parameter size is 10001; give at most 10000',
    )
    const answer = await app.request(pathOf(CHANGES, { gene_id: 'TP53' }))
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining('the release has no gene with the id \\"TP53\\"'),
    ])
  })
})

test('other made-up releases are counted as their documents are read', async () => {
  for (const seed of sample([6, 7, 8], 1)) {
    const dataFolder = await mkdtemp(join(tmpdir(), 'casemill-mutation-counts-'))
    await buildMadeRelease({ dataFolder, scale: 'tiny', seed, executor: inlineExecutor })
    const other = await openEngine({ dataFolder, executor: inlineExecutor })
    try {
      await other.start()
      const expected = naiveCounts('tiny', seed)
      const isMutated = ({ ssm }: NaivePair) => ssm.length > 0
      const ask = async (path: string) => (await appOf(other).request(path)).json()
      for (const by of ['gene', 'case'] as const) {
        const path = by === 'gene' ? GENES : CASES
        const { data } = (await ask(`${path}?size=100&fields=${by}_id`)) as List
        const found = data.hits.map((hit) => [hit[`${by}_id`], hit._score])
        expect(found).toEqual(expected.top(by, isMutated).slice(0, 100))
      }
      expect(await ask(`${BY_GENES}?gene_ids=${expected.genes}`)).toMatchObject({
        aggregations: {
          projects: { buckets: expected.byGenes(expected.genes, isMutated).buckets },
        },
      })
      expect(await ask(BY_PROJECT)).toMatchObject({
        aggregations: { projects: { buckets: expected.byProject(() => true).buckets } },
      })
    } finally {
      await other.close()
      await rm(dataFolder, { recursive: true })
    }
  }
})

test('threads count as the calling thread does', async () => {
  const release = await Release.open(join(folder, 'releases', `tiny-${SEED}`))
  const pool = new ThreadPool({ threads: 1 })
  try {
    const filters = and(is(`ssm.${IMPACT}`, 'HIGH'), is('case.demographic.gender', 'male'))
    const top = {
      by: 'gene',
      ...(await readPairConditions({ filters }, 'gene')),
      from: 0,
      size: 9,
    } as const
    const cases = await readCaseConditions({ filters })
    const genes = { geneIds: naive.genes, cases, withSsm: true }
    const keys = [...keysOfTop(top), ...keysOfGeneCounts(genes), ...keysOfProjectCounts(genes)]
    const loaded = await release.load(keys)
    const countsWith = async (executor: Executor) => {
      const form = { loaded, pretty: false }
      const texts = [
        await executor.run(geneCountsJob, { query: genes, ...form }),
        await executor.run(projectCountsJob, { query: genes, ...form }),
      ].map((bytes) =>
        Buffer.from(bytes)
          .toString()
          .replace(/"took":\d+/, ''),
      )
      return [await executor.run(topJob, { query: top, loaded }), ...texts]
    }
    const expected = await countsWith(inlineExecutor)
    expect(expected[0]).toMatchObject({ total: expect.any(Number), rows: { length: 9 } })
    expect(await countsWith(pool)).toEqual(expected)
  } finally {
    await pool.close()
    await release.close()
  }
})

test('a release from before there were pairs says what brings it up to date', async () => {
  const other = await mkdtemp(join(tmpdir(), 'casemill-mutation-counts-'))
  await cp(join(folder, 'releases'), join(other, 'releases'), { recursive: true })
  const id = (await readFile(join(other, 'releases/current'), 'utf8')).trim()
  const place = join(other, 'releases', id)
  const { associations: _, ...manifest } = await readManifest(place)
  await writeFile(join(place, MANIFEST_NAME), manifestText(manifest))
  const old = await openEngine({ dataFolder: other, executor: inlineExecutor })
  try {
    await old.start()
    const statuses = await Promise.all(
      [GENES, CASES, `${BY_GENES}?gene_ids=x`, BY_PROJECT].map(
        async (path) => (await appOf(old).request(path)).status,
      ),
    )
    // The last request does not count pairs.
    expect(statuses).toEqual([503, 503, 503, 200])
    const answer = await appOf(old).request(GENES)
    expect(await answer.text()).toContain('bring it up to date with casemill upgrade')
  } finally {
    await old.close()
    await rm(other, { recursive: true })
  }
})
