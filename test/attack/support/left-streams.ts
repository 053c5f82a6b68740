import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATASET_NAMES } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { OTHER_RECODES, PATIENT_RECODES } from '../../../engine/registry/index.ts'
import { endOnce } from '../../../engine/shared/streams/byte-stream.ts'
import { DEMO_TUMOURS, demoKey, demoToken, makeDemo } from '../../../fixtures/demo.ts'
import { DEMO_CELLS, DEMO_EXPRESSION, DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../../../fixtures/downloads.ts'
import { DEMO_CONVERSION, DEMO_REGISTRY_FILE } from '../../../fixtures/naaccr/items.ts'
import { MADE_NAMES } from '../../../fixtures/release/scale.ts'
import { DEMO_CASE, DEMO_STAGING } from '../../../fixtures/staging/algorithm.ts'
import { readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { fakeStatus, keptLog } from '../../commons/contract/fake-engine.ts'
import { copyDemo } from '../../demo/copy-demo.ts'
import { depth, isExhaustive } from '../../depth.ts'
import { eventually } from '../../eventually.ts'
import { openEngine, placesOf } from '../../places.ts'
import { type Behaviour, WatchedStreams } from './watched-streams.ts'

// Every route that answers by a stream, asked of the demo in all the ways in which an answer can end.
// What a stream holds is a lease of the release, an open file, a place among those that may be under
// way. In all of them it is given back.

const [OPEN] = DEMO_FILES
const TEXTS = DEMO_DOWNLOADS.filter(({ access }) => access === 'open').map(({ id }) => id)
const [TEXT = ''] = TEXTS
const { caseIds, geneIds } = DEMO_EXPRESSION
/** The id fields of the datasets that have records in the demo. */
const ID_FIELDS = Object.fromEntries(MADE_NAMES.map((name) => [name, DATASETS[name].idField]))

interface Route {
  /** The query, or the values of names in the path, appended to the operation's own path. */
  readonly path: string
  /** A JSON body, or an array of JSON lines. */
  readonly body?: unknown
  /** The content type of a text body. */
  readonly type?: string
  /** The number of requests permitted at a time. The test sends more, so a place that is not released shows. */
  readonly places?: number
}

const SLICES = 64
const BATCHES = 32
const CELLS = 32
const lines = (line: unknown) => `${JSON.stringify(line)}\n`.repeat(3)
const STAGING = `/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}`
const EXPORT = '/submission/DEMO/TRIAL/export'
const VIEW = `/slicing/view/${OPEN.id}`
const READS = `/alignments/${OPEN.id}`
const TP53 = 'chr17:7661779-7687550'
/** Stands for the id of a set that the test creates. */
const MADE_SET = '{set_id}'
const COUNTS = { gene_ids: geneIds.slice(0, 2) }

/** The request of each operation. It names the first records; `*` stands for the id. */
export const ROUTES: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(
    Object.entries(ID_FIELDS).flatMap(([name, id]): [string, Route][] => [
      [`GET /${name}`, { path: `/${name}?size=50&facets=${id}` }],
      [`POST /${name}`, { path: `/${name}`, body: { size: 50, format: 'tsv' } }],
      [`GET /${name}/ids`, { path: `/${name}/ids?query=a` }],
      [`GET /${name}/{${id}}`, { path: `/${name}/*` }],
      [`POST /${name}/{${id}}`, { path: `/${name}/*`, body: {} }],
    ]),
  ),
  'GET /alignments/{bam_file_id}/coverage': { path: `${READS}/coverage?region=${TP53}` },
  'POST /alignments/{bam_file_id}/coverage': {
    path: `${READS}/coverage`,
    body: { region: TP53, bins: 10 },
  },
  'GET /alignments/{bam_file_id}/records': { path: `${READS}/records?region=${TP53}` },
  'POST /alignments/{bam_file_id}/records': { path: `${READS}/records`, body: { region: TP53 } },
  'GET /analysis/compare_fields': { path: '/analysis/compare_fields' },
  'POST /analysis/compare_fields': {
    path: '/analysis/compare_fields',
    body: { filters: [{}, {}] },
  },
  'GET /analysis/copy_number_segments': { path: '/analysis/copy_number_segments' },
  'POST /analysis/copy_number_segments': {
    path: '/analysis/copy_number_segments',
    body: { size: 10 },
  },
  'GET /analysis/gene_associations': { path: '/analysis/gene_associations' },
  'POST /analysis/gene_associations': {
    path: '/analysis/gene_associations',
    body: { gene_size: 10 },
  },
  'GET /analysis/enrichment': { path: '/analysis/enrichment' },
  'POST /analysis/enrichment': {
    path: '/analysis/enrichment',
    body: { filters: [{}, {}] },
  },
  'GET /analysis/gene_copy_numbers': { path: `/analysis/gene_copy_numbers?gene_id=${geneIds[0]}` },
  'POST /analysis/gene_copy_numbers': {
    path: '/analysis/gene_copy_numbers',
    body: { gene_id: geneIds[0] },
  },
  'GET /analysis/mutation_burden': { path: '/analysis/mutation_burden' },
  'POST /analysis/mutation_burden': { path: '/analysis/mutation_burden', body: { size: 10 } },
  'GET /analysis/variables': { path: '/analysis/variables?x=primary_site&y=burden' },
  'POST /analysis/variables': {
    path: '/analysis/variables',
    body: { x: 'diagnoses.age_at_diagnosis', y: 'burden' },
  },
  'GET /analysis/gene_changes': { path: `/analysis/gene_changes?gene_id=${geneIds[0]}` },
  'POST /analysis/gene_changes': {
    path: '/analysis/gene_changes',
    body: { gene_id: geneIds[0] },
  },
  'GET /analysis/mutated_cases_count_by_project': {
    path: '/analysis/mutated_cases_count_by_project',
  },
  'POST /analysis/mutated_cases_count_by_project': {
    path: '/analysis/mutated_cases_count_by_project',
    body: {},
  },
  'GET /analysis/oncogrid': { path: '/analysis/oncogrid' },
  'POST /analysis/oncogrid': { path: '/analysis/oncogrid', body: { gene_size: 10 } },
  'GET /analysis/survival': { path: '/analysis/survival' },
  'POST /analysis/survival': { path: '/analysis/survival', body: { filters: [{}] } },
  'GET /analysis/top_cases_counts_by_genes': {
    path: `/analysis/top_cases_counts_by_genes?gene_ids=${geneIds[0]}`,
  },
  'POST /analysis/top_cases_counts_by_genes': {
    path: '/analysis/top_cases_counts_by_genes',
    body: COUNTS,
  },
  'GET /analysis/top_mutated_cases_by_gene': { path: '/analysis/top_mutated_cases_by_gene' },
  'POST /analysis/top_mutated_cases_by_gene': {
    path: '/analysis/top_mutated_cases_by_gene',
    body: {},
  },
  'GET /analysis/top_mutated_genes_by_project': {
    path: '/analysis/top_mutated_genes_by_project',
  },
  'POST /analysis/top_mutated_genes_by_project': {
    path: '/analysis/top_mutated_genes_by_project',
    body: {},
  },
  'GET /analysis/top_mutated_genes': { path: '/analysis/top_mutated_genes' },
  'POST /analysis/top_mutated_genes': { path: '/analysis/top_mutated_genes', body: {} },
  'GET /analysis/top_ssms': { path: '/analysis/top_ssms' },
  'POST /analysis/top_ssms': { path: '/analysis/top_ssms', body: {} },
  'GET /analysis/top_ssms_by_gene': { path: `/analysis/top_ssms_by_gene?gene_id=${geneIds[0]}` },
  'POST /analysis/top_ssms_by_gene': {
    path: '/analysis/top_ssms_by_gene',
    body: { gene_id: geneIds[0] },
  },
  'GET /analysis/top_ssms_by_case': { path: `/analysis/top_ssms_by_case?case_id=${caseIds[0]}` },
  'POST /analysis/top_ssms_by_case': {
    path: '/analysis/top_ssms_by_case',
    body: { case_id: caseIds[0] },
  },
  'GET /biospecimen_tar': { path: '/biospecimen_tar?size=500' },
  'POST /biospecimen_tar': { path: '/biospecimen_tar', body: { size: 500, format: 'JSON' } },
  'GET /case_ssms': { path: '/case_ssms?size=50' },
  'POST /case_ssms': { path: '/case_ssms', body: { size: 50, format: 'tsv' } },
  'GET /sets/{set_id}/ids': { path: '/sets/*/ids' },
  'POST /tar_sets': { path: '/tar_sets', body: { sets: [{ id: MADE_SET }, { id: MADE_SET }] } },
  'GET /clinical_tar': { path: '/clinical_tar?size=500&format=json' },
  'POST /clinical_tar': { path: '/clinical_tar', body: { size: 500 } },
  'GET /data': { path: `/data?ids=${TEXT}` },
  'POST /data': { path: '/data', body: { ids: TEXTS, tarfile: true } },
  'GET /data/{ids}': { path: `/data/${OPEN.id}` },
  'POST /data/{ids}': { path: `/data/${TEXTS.join(',')}`, body: {} },
  'GET /files/versions': { path: `/files/versions?ids=${TEXT}` },
  'POST /files/versions': { path: '/files/versions', body: { ids: TEXTS } },
  'GET /files/versions/{file_ids}': { path: `/files/versions/${TEXT}` },
  'POST /files/versions/manifest': { path: '/files/versions/manifest', body: `id\n${TEXT}\n` },
  'GET /history/{file_id}': { path: `/history/${TEXT}` },
  'GET /manifest': { path: `/manifest?ids=${TEXT}` },
  'POST /manifest': { path: '/manifest', body: { ids: TEXTS } },
  'GET /manifest/{ids}': { path: `/manifest/${TEXTS.join(',')}` },
  'POST /manifest/{ids}': { path: `/manifest/${TEXT}`, body: {} },
  'POST /gene_expression/availability': {
    path: '/gene_expression/availability',
    body: { case_ids: caseIds, gene_ids: geneIds },
  },
  'POST /gene_expression/coexpression': {
    path: '/gene_expression/coexpression',
    body: { case_ids: caseIds, gene_id: geneIds[0] },
  },
  'POST /gene_expression/set_scores': {
    path: '/gene_expression/set_scores',
    body: { case_ids: caseIds, gene_ids: geneIds },
  },
  'POST /gene_expression/differential': {
    path: '/gene_expression/differential',
    body: { case_ids: caseIds.slice(0, 2) },
  },
  'POST /gene_expression/gene_selection': {
    path: '/gene_expression/gene_selection',
    body: { case_ids: caseIds, gene_type: 'protein_coding', selection_size: 5 },
  },
  'POST /gene_expression/values': {
    path: '/gene_expression/values',
    body: { case_ids: caseIds, gene_ids: geneIds, tsv_units: 'uqfpkm' },
  },
  'POST /scrna_seq/gene_expression': {
    path: '/scrna_seq/gene_expression',
    body: { file_id: DEMO_CELLS.id, gene_ids: DEMO_CELLS.geneIds },
    places: CELLS,
  },
  'GET /slicing/view/{bam_file_id}': { path: `${VIEW}?region=chr17`, places: SLICES },
  'POST /slicing/view/{bam_file_id}': { path: VIEW, body: { gencode: ['TP53'] } },
  'GET /submission/{program}/{project}/export': { path: `${EXPORT}?node_label=sample` },
  'POST /submission/{program}/{project}/export': {
    path: EXPORT,
    body: { node_label: 'case', format: 'json' },
  },
  'POST /rest/mph/batch': { path: '/rest/mph/batch', body: lines(DEMO_TUMOURS), places: BATCHES },
  ...Object.fromEntries(
    ['sitegroup/{algorithm}', ...OTHER_RECODES.map(({ id }) => id)].map((path) => [
      `POST /rest/recode/${path}/batch`,
      {
        path: `/rest/recode/${path.replace('{algorithm}', 'iccc')}/batch`,
        body: lines({ site: 'C379', hist: '9650', code: 'C37' }),
        places: BATCHES,
      },
    ]),
  ),
  ...Object.fromEntries(
    PATIENT_RECODES.map(({ id }) => [
      `POST /rest/recode/${id}/batch`,
      {
        path: `/rest/recode/${id}/batch`,
        body: lines({ end_year: '2020', tumors: [{ site: 'C379' }] }),
        places: BATCHES,
      },
    ]),
  ),
  'POST /rest/naaccr/convert': {
    path: `/rest/naaccr/convert?rules=${DEMO_CONVERSION}`,
    ...{ body: DEMO_REGISTRY_FILE, type: 'application/xml', places: BATCHES },
  },
  'POST /rest/naaccr/edits': {
    path: '/rest/naaccr/edits',
    body: DEMO_REGISTRY_FILE,
    type: 'application/xml',
    places: BATCHES,
  },
  'POST /rest/naaccr/process': {
    path: `/rest/naaccr/process?algorithm=${DEMO_STAGING.algorithm}&version=${DEMO_STAGING.version}`,
    body: DEMO_REGISTRY_FILE,
    type: 'application/xml',
    places: BATCHES,
  },
  'GET /rest/staging/{algorithm}/{version}/archive': { path: `${STAGING}/archive` },
  'GET /rest/staging/{algorithm}/{version}/diff': { path: `${STAGING}/diff?from=1.0` },
  'POST /rest/staging/{algorithm}/{version}/stage/batch': {
    path: `${STAGING}/stage/batch`,
    body: lines(DEMO_CASE),
    places: BATCHES,
  },
}

/** Whether a route exists for all datasets. */
export const isOfDataset = (operation: string): boolean =>
  DATASET_NAMES.some((name) => new RegExp(`^\\w+ /${name}(/ids|/{\\w+_id})?$`).test(operation))

/** Whether a route works like one with another method, or like another recode. */
function isLikeAnother(operation: string): boolean {
  const [method, path = ''] = operation.split(' ')
  if (path.startsWith('/rest/recode/')) {
    const ids = ['sitegroup/{algorithm}', PATIENT_RECODES[0]?.id]
    return !ids.some((id) => path === `/rest/recode/${id}/batch`)
  }
  return method === 'POST' && `GET ${path}` in ROUTES
}

const asked = Object.keys(ROUTES).filter(
  // The routes of all datasets work alike.
  (operation) => isExhaustive || !isOfDataset(operation) || / \/cases\b/.test(operation),
)
/** One route of each kind. */
export const ONE_OF_EACH: readonly string[] = asked.filter((one) => !isLikeAnother(one))
export const OTHERS: readonly string[] = asked.filter(isLikeAnother)

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const textType = (path: string) => (path.endsWith('/batch') ? 'application/x-ndjson' : 'text/plain')

/** Defines the tests of these operations with a demo server. */
export function testLeftStreams(operations: readonly string[]): void {
  let folder = ''
  let engine: Engine
  let server: RunningServer
  let pool: ThreadPool
  let credentials: Readonly<Record<string, string>> = {}
  const watched = new WatchedStreams()
  /** The id of the first record of each dataset. */
  const ids = new Map<string, string>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-left-'))
    pool = new ThreadPool({ threads: availableParallelism() })
    const dataFolder = join(folder, 'data')
    // A demo that is stored in its folder can be copied; otherwise it has to be made.
    if (Object.keys(await placesOf(dataFolder)).length === 0) await copyDemo(dataFolder)
    engine = await openEngine({ dataFolder, executor: pool })
    await makeDemo(engine)
    await engine.start()
    credentials = {
      'X-Auth-Token': await demoToken(engine),
      'X-SEERAPI-Key': await demoKey(engine),
    }
    const config = readConfig({
      flags: { port: 0, logLevel: 'info', drainSeconds: 0, ratePerMinute: 0 },
    })
    const served = {
      commons: watched.of(engine.commons),
      submission: watched.of(engine.submission),
      registry: watched.of(engine.registry),
      dependencies: () => engine.dependencies(),
      load: () => engine.load(),
      releaseLoad: () => engine.releaseLoad(),
      workLoads: () => engine.workLoads(),
    }
    const { log } = keptLog(config)
    server = await startServer({ engine: served, config, status: fakeStatus, log })
    for (const [name, field] of Object.entries(ID_FIELDS)) {
      const response = await fetch(`${server.address}/${name}?size=1&fields=${field}`)
      const { data } = (await response.json()) as { data: { hits: Record<string, string>[] } }
      ids.set(name, data.hits[0]?.[field] ?? '')
    }
    const set = await fetch(`${server.address}/sets`, { method: 'POST', body: '{"type":"case"}' })
    const { data: made } = (await set.json()) as { readonly data: { readonly set_id: string } }
    ids.set('sets', made.set_id)
  })

  const close = endOnce(async () => {
    await server?.close()
    await engine?.close()
    // Threads keep a few files open.
    await pool?.close()
  })

  afterAll(async () => {
    await close()
    await rm(folder, { recursive: true, force: true })
  })

  function requestOf(operation: string, headers: Readonly<Record<string, string>> = {}): Sent {
    const { path, body, type = textType(path) } = ROUTES[operation] as Route
    const [method = ''] = operation.split(' ')
    const url = server.address + path.replace('*', ids.get(path.split('/')[1] ?? '') ?? '')
    if (body === undefined) return { url, method, headers: { ...credentials, ...headers } }
    const isText = typeof body === 'string'
    return {
      url,
      method,
      body: isText ? body : withSet(JSON.stringify(body)),
      headers: { ...credentials, ...headers, 'Content-Type': isText ? type : 'application/json' },
    }
  }

  const withSet = (text: string) => text.replaceAll(MADE_SET, ids.get('sets') ?? '')

  function ask(operation: string, more: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { url, ...sent } = requestOf(operation, more)
    return fetch(url, sent)
  }

  /** Expects that streams were opened since, and that all of them were released. */
  async function expectEnded(openedBefore: number): Promise<void> {
    await eventually(() => expect(watched.ended).toBe(watched.opened))
    expect(watched.opened - openedBefore).toBe(1)
    expect(engine.load()).toMatchObject({ activeSlices: 0, queuedSlices: 0, activeDownloads: 0 })
  }

  /** Sends a request on a new connection without reading the answer. */
  async function leave(operation: string, behaviour: Behaviour): Promise<void> {
    watched.behaviour = behaviour
    const { opened, waiting } = watched
    const { url, method, headers, body } = requestOf(operation)
    const sent = request(url, { method, headers, agent: false }).on('error', () => {})
    sent.end(body)
    await eventually(() => {
      expect(watched.opened).toBe(opened + 1)
      if (behaviour === 'endless') expect(watched.waiting).toBe(waiting + 1)
    })
    sent.destroy()
    await expectEnded(opened)
    watched.behaviour = 'as they are'
  }

  describe.each(operations)('%s', (operation) => {
    const { places = 0 } = ROUTES[operation] as Route
    test('is read to its end', async () => {
      const { opened } = watched
      const response = await ask(operation)
      const bytes = await response.arrayBuffer()
      expect([200, 206], Buffer.from(bytes).toString().slice(0, 500)).toContain(response.status)
      await expectEnded(opened)
    })

    test.skipIf(!operation.startsWith('GET '))('HEAD, 304 and 416', async () => {
      const { opened } = watched
      const { url, headers } = requestOf(operation)
      const head = await fetch(url, { method: 'HEAD', headers })
      expect([200, 206]).toContain(head.status)
      await expectEnded(opened)
      const etag = head.headers.get('etag')
      if (etag !== null) {
        expect((await ask(operation, { 'If-None-Match': etag })).status).toBe(304)
        await expectEnded(opened)
      }
      if (head.headers.has('accept-ranges')) {
        // A resumed slice must name its ETag, and only then may request other bytes.
        const range = { Range: 'bytes=999999999-', ...(etag !== null && { 'If-Range': etag }) }
        expect((await ask(operation, range)).status).toBe(416)
        await expectEnded(opened)
      }
    })

    test('a client leaves while it is opened, and midway', async () => {
      await leave(operation, 'late')
      for (let i = 0; i <= depth(1, places); i++) await leave(operation, 'endless')
    })
  })

  test.runIf(existsSync('/proc/self/fd'))(
    'nothing stays open when the engine is closed',
    async () => {
      await close()
      const open = readdirSync('/proc/self/fd').flatMap((name) => {
        try {
          const path = readlinkSync(`/proc/self/fd/${name}`)
          return path.startsWith(folder) ? [path] : []
        } catch {
          return []
        }
      })
      expect(open).toEqual([])
    },
  )
}
