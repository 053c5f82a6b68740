import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DatasetName, SearchAnswer, SearchRequest } from '../../../engine/commons/index.ts'
import {
  MANIFEST_NAME,
  manifestText,
  readManifest,
} from '../../../engine/commons/release/manifest.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { copyMadeRelease } from '../../made-release.ts'
import { openEngine } from '../../places.ts'

// Fields of related records over a made release (data-commons.md 1.2.6): what one endpoint reports of cases and
// genes must be found at another.

let folder = ''
let engine: Engine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-related-'))
  await copyMadeRelease(folder)
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

interface Row {
  readonly id: string
  readonly [field: string]: unknown
}

async function textOf(answer: SearchAnswer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer.body) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

async function found(name: DatasetName, request: Partial<SearchRequest>, of = engine) {
  const all = { size: 100_000, from: 0, format: 'json', pretty: false } as const
  const text = await textOf(await of.commons.search.search(name, { ...all, ...request }))
  return JSON.parse(text).data as {
    readonly hits: readonly Row[]
    readonly aggregations: Readonly<
      Record<string, { readonly buckets: readonly { key: string; doc_count: number }[] }>
    >
  }
}

const idsOf = async (name: DatasetName, request: Partial<SearchRequest>) =>
  new Set((await found(name, request)).hits.map(({ id }) => id))

const is = (field: string, ...value: readonly unknown[]) => ({
  op: 'in',
  content: { field, value },
})

const at = (value: unknown, path: string): readonly unknown[] =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (values, name) =>
        values.flatMap((one) => (one as Record<string, unknown> | null)?.[name] ?? []).flat(),
      [value],
    )

/** Cases with a simple mutation or a copy-number change of a gene, according to the occurrences. */
async function casesOf(symbol: string): Promise<ReadonlySet<unknown>> {
  const fields = ['case.case_id']
  const ssms = await found('ssm_occurrences', {
    fields,
    filters: is('ssm.consequence.transcript.gene.symbol', symbol),
  })
  const cnvs = await found('cnv_occurrences', {
    fields,
    filters: is('cnv.consequence.gene.symbol', symbol),
  })
  return new Set([...ssms.hits, ...cnvs.hits].flatMap((hit) => at(hit, 'case.case_id')))
}

/** The gene changed in most cases, and these cases. */
async function busiest(): Promise<{
  readonly symbol: string
  readonly cases: ReadonlySet<unknown>
}> {
  const { aggregations } = await found('cases', { size: 0, facets: ['genes.symbol'] })
  const key = aggregations['genes.symbol']?.buckets[0]?.key ?? ''
  const symbol = key.toUpperCase()
  return { symbol, cases: await casesOf(symbol) }
}

test('cases, files, projects and annotations are found by a gene that is changed in a case', async () => {
  const { symbol, cases } = await busiest()
  expect(cases.size).toBeGreaterThan(1)
  const filters = is('genes.symbol', symbol)
  expect(await idsOf('cases', { filters })).toEqual(cases)

  const files = await found('files', { fields: ['cases.case_id'] })
  const ofCases = files.hits.filter((hit) => at(hit, 'cases.case_id').some((id) => cases.has(id)))
  expect(await idsOf('files', { filters })).toEqual(new Set(ofCases.map(({ id }) => id)))
  expect(ofCases.length).toBeLessThan(files.hits.length)

  const all = await found('cases', { fields: ['project.project_id'] })
  const projects = all.hits
    .filter(({ id }) => cases.has(id))
    .flatMap((hit) => at(hit, 'project.project_id'))
  expect(await idsOf('projects', { filters })).toEqual(new Set(projects))

  const annotations = await found('annotations', { fields: ['case_id'] })
  const ofThese = annotations.hits.filter(({ case_id }) => cases.has(case_id))
  expect(await idsOf('annotations', { filters })).toEqual(new Set(ofThese.map(({ id }) => id)))
})

test('a facet of genes counts the cases that each is changed in', async () => {
  const { aggregations } = await found('cases', { size: 0, facets: ['genes.symbol'] })
  const buckets = aggregations['genes.symbol']?.buckets ?? []
  expect(buckets.length).toBeGreaterThan(5)
  for (const { key, doc_count } of buckets.slice(0, 5)) {
    expect([key, doc_count]).toEqual([key, (await casesOf(key)).size])
  }
})

test('genes are filtered and counted by their cases, which are not returned', async () => {
  const { symbol, cases } = await busiest()
  const [gene] = (await found('genes', { filters: is('symbol', symbol) })).hits
  const facets = ['case.case_id']
  const { hits, aggregations } = await found('genes', {
    facets,
    filters: is('gene_id', gene?.id),
    fields: ['case.case_id', 'symbol'],
  })
  expect(hits).toEqual([{ id: gene?.id, symbol }])
  const counted = aggregations['case.case_id']?.buckets.map(({ key }) => key)
  expect(new Set(counted)).toEqual(cases)
  const filters = is('cases.case_id', [...cases][0])
  expect(await idsOf('genes', { filters })).toContain(gene?.id)
})

test('a filter on cases is honoured where cases are related records', async () => {
  const project = { op: '=', content: { field: 'project.project_id', value: 'DEMO-OPEN' } }
  for (const [name, field] of [
    ['projects', 'cases.project.project_id'],
    ['annotations', 'cases.project.project_id'],
    ['genes', 'case.project.project_id'],
  ] as const) {
    const all = await idsOf(name, {})
    const some = await idsOf(name, { caseFilters: project })
    expect([name, some]).toEqual([name, await idsOf(name, { filters: is(field, 'DEMO-OPEN') })])
    expect(some.size).toBeGreaterThan(0)
    expect(some.size).toBeLessThan(all.size)
  }
  const { symbol } = await busiest()
  const cohort = is('genes.symbol', symbol)
  expect(await idsOf('files', { caseFilters: cohort })).toEqual(
    await idsOf('files', { filters: cohort }),
  )
})

test('a release from before annotations led to their cases says so instead of finding none', async () => {
  const old = await mkdtemp(join(tmpdir(), 'casemill-related-old-'))
  let before: Engine | undefined
  try {
    await cp(folder, old, { recursive: true, filter: (path) => !path.endsWith('serving.lock') })
    const made = join(old, 'releases/made')
    const { datasets, files, ...facts } = await readManifest(made)
    const annotations = { ...datasets.annotations, links: {} }
    const text = manifestText({ ...facts, files, datasets: { ...datasets, annotations } })
    await writeFile(join(made, MANIFEST_NAME), text)
    before = await openEngine({ dataFolder: old, executor: inlineExecutor })
    await before.start()
    const asked = { filters: is('cases.primary_site', 'kidney') }
    await expect(found('annotations', asked, before)).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'release "made" was made before annotations led to their cases; bring it up to date with casemill upgrade',
    })
    expect((await found('annotations', {}, before)).hits.length).toBeGreaterThan(0)
  } finally {
    await before?.close()
    await rm(old, { recursive: true, force: true })
  }
})
