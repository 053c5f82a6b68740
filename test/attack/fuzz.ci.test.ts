import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROLES } from '../../engine/shared/index.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { depth } from '../depth.ts'
import { DemoServer } from './support/demo-server.ts'
import { operationsOf } from './support/described-operations.ts'
import { type FuzzedRequest, FuzzedRequests, type Known } from './support/fuzzed-requests.ts'
import { type Ending, sendFuzzed } from './support/send-fuzzed.ts'

// Nearly correct requests to every operation of the API document: mutated parameters, bodies, headers, rights
// and ranges, and broken connections. No answer may be a 500, nothing may be logged as an error, no thread may
// die. Other seeds: FUZZ_SEED=7; more requests, with figures of memory and of the event loop, all on standard
// output: FUZZ_REQUESTS=1000000 FUZZ_SEED=7 npx vitest run test/attack/fuzz.ci.test.ts

const SEED = Number(process.env.FUZZ_SEED ?? 18)
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? depth(200, 4_000, 20_000))
const CONNECTIONS = 24
/** The number of requests that warm a server up; memory of longer runs is compared with its level after them. */
const WARM_UP = 20_000
const REST_MS = 60_000
const MAX_GROWTH = 1.2

let server: DemoServer
let requests: FuzzedRequests

beforeAll(async () => {
  server = new DemoServer()
  await server.start()
  const document = await (await fetch(`${server.address}/openapi.json`)).json()
  requests = new FuzzedRequests(randomFrom(SEED), operationsOf(document), await knownOf(server))
})

afterAll(() => server?.[Symbol.asyncDispose]())

async function knownOf(demo: DemoServer): Promise<Known> {
  const project = 'DEMO-TRIAL:read,download,create,update,delete,release'
  const [tokens, keys] = await demo.inState(async (tokens, keys) => {
    const made = [
      await tokens.create({ user: 'admin', admin: true }),
      await tokens.create({ user: 'submitter', projects: [project] }),
      await tokens.create({ user: 'stranger', projects: ['ELSEWHERE-X'] }),
    ]
    const madeKeys = [await keys.create({ roles: ROLES }), await keys.create({})]
    return [
      [...made.map(({ secret }) => secret), 'no-such_token'],
      [...madeKeys.map(({ secret }) => secret), 'no-such_key'],
    ] as const
  })
  const idsOf = async (dataset: string, key: string) => {
    const response = await fetch(`${demo.address}/${dataset}?size=20&fields=${key}`)
    const { data } = (await response.json()) as { data: { hits: Record<string, string>[] } }
    return data.hits.map((hit) => hit[key] ?? '')
  }
  const stored = ['1d01', '1d02', '2d01', '2d02'].map(
    (end) => `0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b${end}`,
  )
  const files = [...stored, ...(await idsOf('files', 'file_id'))]
  const cases = await idsOf('cases', 'case_id')
  const genes = await idsOf('genes', 'gene_id')
  return {
    // The credentials of both interfaces are sent at once, so no request is wasted on the wrong one.
    credentials: tokens.map((token, i) => ({
      'x-auth-token': token,
      'x-seerapi-key': keys[Math.min(i, keys.length - 1)] ?? '',
    })),
    values: {
      ids: files,
      file_id: files,
      file_ids: files,
      bam_file_id: stored,
      case_id: cases,
      gene_id: genes,
      project_id: await idsOf('projects', 'project_id'),
      ssm_id: await idsOf('ssms', 'ssm_id'),
      cnv_id: await idsOf('cnvs', 'cnv_id'),
      program: ['DEMO'],
      project: ['TRIAL', 'ALPHA'],
      type: ['case', 'sample', 'aliquot'],
      entry: ['case', '_all', '_definitions'],
      node_label: ['case', 'sample'],
      transaction_id: ['1', '2'],
      algorithm: ['demo'],
      version: ['1.0', 'latest', 'draft'],
      region: ['chr17:7661779-7687550', 'chr7', 'unmapped', 'chr1:0-'],
      gencode: ['TP53'],
      fields: ['file_id,access', 'cases.case_id'],
      expand: ['cases', 'cases.samples'],
      facets: ['access', 'cases.project.project_id'],
      sort: ['file_size:desc'],
      size: ['0', '3', '100'],
      from: ['0', '7'],
      filters: FILTERS.map((one) => JSON.stringify(one)),
      q: ['alpha', 'breast', 'doxo*'],
      code: ['0001-0001', 'C509'],
      id: ['1', 'breast', 'made'],
    },
    bodies: bodiesOf({ files, stored, cases, genes }),
  }
}

const FILTERS = [
  { op: '=', content: { field: 'access', value: 'open' } },
  { op: 'in', content: { field: 'cases.project.project_id', value: ['DEMO-ALPHA'] } },
  {
    op: 'and',
    content: [
      { op: '>', content: { field: 'file_size', value: 100 } },
      { op: 'not', content: { field: 'cases.samples.sample_type' } },
      { op: 'in', content: { field: 'file_name', value: ['*bam', 'a*'] } },
    ],
  },
]

interface Ids {
  readonly files: readonly string[]
  readonly stored: readonly string[]
  readonly cases: readonly string[]
  readonly genes: readonly string[]
}

/** A valid body for each kind of operation; each is sent to all of them. */
function bodiesOf({ files, stored, cases, genes }: Ids): readonly unknown[] {
  const tumour = {
    primary_site: 'C504',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    laterality: '1',
    date_of_diagnosis_year: '2019',
  }
  const staged = { site: 'C182', hist: '8140', year_dx: '2023', depth: 'B2', size: '035' }
  const aCase = { type: 'case', submitter_id: 'fz-1', projects: { code: 'TRIAL' } }
  return [
    ...FILTERS.map((filters) => ({ filters, fields: 'file_id', size: 5, facets: 'access' })),
    ...[{ ids: stored.slice(0, 2) }, { ids: files.slice(0, 5), size: 5 }, { ids: stored[0] }],
    ...[{ regions: ['chr17:7661779-7687550', 'chr7'] }, { gencode: ['TP53'] }],
    { case_ids: cases.slice(0, 3), gene_ids: genes.slice(0, 3), tsv_units: 'uqfpkm' },
    { case_ids: cases.slice(0, 3), gene_type: 'protein_coding', selection_size: 5 },
    { file_id: stored[2], gene_ids: genes.slice(0, 2) },
    { filters: [FILTERS[1], {}] },
    ...[
      staged,
      { input1: tumour, input2: tumour },
      { tumours: [tumour, tumour] },
      { text: 'breast' },
    ],
    ...[`${JSON.stringify(staged)}\n\n{"site":1}\n`, 'type\tsubmitter_id\ncase\tx\n', 'a=1&size=3'],
    ...[aCase, [aCase, { ...aCase, submitter_id: 'fz-2' }]],
    {
      type: 'sample',
      submitter_id: 'fz-s',
      sample_type: 'Primary Tumor',
      cases: { submitter_id: 'fz-1' },
    },
    { query: '{ case(first: 2) { id submitter_id samples { id } } }' },
    {
      query: 'query($n: Int) { project(first: $n) { code _transaction_log_count } }',
      variables: { n: 1 },
    },
    ...[
      { name: 'Made', type: 'DRUG', categories: ['CHEMOTHERAPY'] },
      { id: 'made', version: '1.0' },
    ],
    'files:\n  - id: 1\n    file_name: a.bam\n    local_file_path: a.bam\n',
  ]
}

function describeRequest({ method, target, headers, body, cut }: FuzzedRequest): string {
  const { 'x-auth-token': _token, 'x-seerapi-key': _key, ...shown } = headers
  const text = body?.toString('latin1', 0, 500) ?? ''
  return `${method} ${target.slice(0, 500)} ${JSON.stringify(shown)} ${text} ${cut ?? ''}`
}

/** Sends `count` requests, a few at a time, and counts how they ended. */
async function put(count: number, endings: Map<Ending, number>): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const wrong: string[] = []
  let left = count
  const client = async () => {
    while (left-- > 0 && wrong.length < 10) {
      const asked = requests.next()
      const ending = await sendFuzzed(server.address, agent, asked)
      endings.set(ending, (endings.get(ending) ?? 0) + 1)
      if (ending === 500) wrong.push(describeRequest(asked))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  agent.destroy()
  return wrong
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.address}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

test(`${REQUESTS} nearly right requests are answered, none by 500`, { timeout: 0 }, async () => {
  const endings = new Map<Ending, number>()
  expect(await put(Math.min(REQUESTS, WARM_UP), endings)).toEqual([])
  if (REQUESTS > WARM_UP) {
    await sleep(REST_MS)
    const warm = server.residentBytes()
    expect(await put(REQUESTS - WARM_UP, endings)).toEqual([])
    const delay = await metric('nodejs_eventloop_lag_max_seconds')
    await sleep(REST_MS)
    const resident = server.residentBytes()
    console.log(
      `resident ${warm >> 20} MiB when warm, ${resident >> 20} MiB at the end; delay ${delay} s`,
    )
    expect(resident).toBeLessThan(MAX_GROWTH * warm)
  }
  console.log(Object.fromEntries(endings))
  expect(server.isAlive()).toBe(true)
  expect(server.errors()).toEqual([])
  // If one of these were missing, the requests would not get deep enough for the test to mean anything.
  for (const status of [200, 400, 403, 404]) {
    expect(endings.get(status), String(status)).toBeGreaterThan(REQUESTS / 200)
  }
  expect((await fetch(`${server.address}/files?size=1`)).status).toBe(200)
})
