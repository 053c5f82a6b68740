import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ThreadPool } from '../../workers/pool.ts'
import { looms } from '../commons/contract/support/cell-files.ts'
import {
  idOf,
  md5Of,
  type Records,
  recordOf,
} from '../commons/contract/support/download-records.ts'
import {
  type ExpressionWorld,
  openExpressionWorld,
} from '../commons/expression/support/expression-world.ts'
import { appOf } from '../commons/search/support/app.ts'

// Controlled values: the expression of a case, and an HDF5 file of single cells. Users with and without rights
// try every way to read them; distinctive numbers show whether any value was disclosed. Each answer with values has
// one line in the record, and no other answer has any.

const [OPEN, CLOSED] = [idOf(1), idOf(2)]
const GENE = 'ENSG00000000001'
const OTHER_GENE = 'ENSG00000000002'
/** The value is stored in the matrix multiplied by ten thousand. */
const EXPRESSED = '31313.1313'
const IN_CELLS = '7654321.25'

const whole = (await looms({ genes: [GENE], cells: 3, numberOf: () => Number(IN_CELLS) })).whole
const CELLS = { id: idOf(50), name: 'cells.loom', bytes: whole }

/** The source file of the expression is open, but was imported with controlled values. */
const SOURCE = recordOf(
  { id: idOf(51), name: 'values.tsv', bytes: Buffer.from('x') },
  { access: 'open', cases: [{ case_id: CLOSED }] },
)

const caseOf = (case_id: string, project: string, days: number) => ({
  case_id,
  submitter_id: case_id.slice(-2),
  project: { project_id: project },
  demographic: { vital_status: 'Dead', days_to_death: days },
})
const RECORDS: Records = {
  projects: ['ALPHA-1', 'BETA-2'].map((project_id) => ({ project_id, name: project_id })),
  cases: [caseOf(OPEN, 'BETA-2', 10), caseOf(CLOSED, 'ALPHA-1', 20)],
  files: [
    recordOf(CELLS, {
      access: 'controlled',
      acl: ['ALPHA-1'],
      data_format: 'HDF5',
      cases: [{ case_id: CLOSED }],
    }),
    SOURCE,
  ],
}
const value = Math.round(Number(EXPRESSED) * 10_000)
const MATRIX = {
  kind: 'fixed',
  cases: [{ caseId: OPEN }, { caseId: CLOSED, fileId: SOURCE.file_id, access: 'controlled' }],
  rows: [
    { geneId: GENE, symbol: 'ONE', values: Uint32Array.of(5, value) },
    { geneId: OTHER_GENE, symbol: 'TWO', values: Uint32Array.of(7, value) },
  ],
} as const

const both = { case_ids: [OPEN, CLOSED] }
const ofAll = {
  case_filters: { op: 'in', content: { field: 'cases.case_id', value: [OPEN, CLOSED] } },
}
const genes = { gene_ids: [GENE, OTHER_GENE] }
const plain = { ...genes, tsv_units: 'uqfpkm' }
const values = (body: object) => ['POST /gene_expression/values', body] as const
const cells = (body: object) => ['POST /scrna_seq/gene_expression', body] as const

/** A request and its body. */
type Door = readonly [request: string, body?: object | undefined]

/** The requests that could return controlled values. */
const DOORS: readonly Door[] = [
  ...['tsv', 'csv', 'arrow', 'parquet'].map((format) => values({ ...both, ...plain, format })),
  values({ ...both, ...genes, tsv_units: 'median_centered_log2_uqfpkm' }),
  values({ ...ofAll, ...plain }),
  // Other programs write ids in upper case.
  values({ case_ids: [CLOSED.toUpperCase()], ...plain }),
  ['POST /gene_expression/gene_selection', { ...both, ...genes, selection_size: 2 }],
  ['POST /gene_expression/gene_selection', { ...ofAll, ...genes, selection_size: 2 }],
  ['POST /gene_expression/differential', { case_ids: [OPEN], other_case_ids: [CLOSED] }],
  ['POST /gene_expression/differential', { case_ids: [CLOSED], other_case_ids: [OPEN] }],
  ['POST /gene_expression/coexpression', { ...both, gene_id: GENE }],
  ['POST /gene_expression/coexpression', { ...ofAll, gene_id: GENE }],
  ['POST /gene_expression/set_scores', { ...both, ...genes }],
  ['POST /gene_expression/set_scores', { ...ofAll, ...genes, method: 'z-score' }],
  [
    'POST /analysis/variables',
    { x: `expression:${GENE}`, y: 'demographic.days_to_death', filters: ofAll.case_filters },
  ],
  [
    'POST /analysis/variables',
    { x: 'primary_site', y: `expression:${GENE},${OTHER_GENE}`, case_filters: ofAll.case_filters },
  ],
  cells({ file_id: CELLS.id, gene_ids: [GENE] }),
  cells({ file_id: CELLS.id.toUpperCase(), gene_ids: [GENE] }),
  cells({ case_id: CLOSED, gene_ids: [GENE] }),
  ['POST /scrna_seq/cell_annotations', { file_id: CELLS.id }],
  ['POST /scrna_seq/cell_annotations', { case_id: CLOSED }],
  [`GET /data/${CELLS.id}`],
  [`GET /data?ids=${CELLS.id}`],
  [`GET /data/${CELLS.id.toUpperCase()}`],
  ['POST /data', { ids: [CELLS.id] }],
  [`GET /v0/data/${CELLS.id}`],
  [`GET /ga4gh/drs/v1/objects/${CELLS.id}/access/https`],
]

/** What every user may know: that values exist, and facts from the records. */
const PUBLIC: readonly Door[] = [
  ['POST /gene_expression/availability', { ...both, ...genes }],
  ['GET /analysis/survival'],
  [`GET /analysis/survival?filters=${encodeURIComponent(JSON.stringify(ofAll.case_filters))}`],
  ['GET /cases?expand=demographic,project'],
  ['GET /files?facets=access'],
  [`GET /files/${SOURCE.file_id}?fields=access`],
]

const titled = (door: Door) => ({ door, title: `${door[0]} ${JSON.stringify(door[1] ?? '')}` })

let pool: ThreadPool
let world: ExpressionWorld
let app: ReturnType<typeof appOf>
let callers: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
let reader: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  pool = new ThreadPool({ threads: 1 })
  world = await openExpressionWorld(RECORDS, MATRIX, { executor: pool, audit: { days: 0 } })
  app = appOf(world.engine)
  const { blobs, files, tokens } = world.engine.shared
  const { id, name, bytes } = CELLS
  await writeFile(join(world.folder, 'new'), bytes)
  await blobs.writing.take({ id, name }, join(world.folder, 'new'))
  await files.add({
    id,
    fileName: name,
    size: bytes.length,
    md5: md5Of(bytes),
    dataFormat: null,
    access: 'controlled',
    acl: ['ALPHA-1'],
    partOf: null,
    indexName: null,
    storage: blobs.writing.kind,
    linkedModified: null,
    createdAt: '2025-01-01T00:00:00.000Z',
  })
  const token = async (...projects: string[]) => ({
    'x-auth-token': (await tokens.create({ user: projects.join(), projects })).secret,
  })
  callers = {
    nobody: {},
    'a wrong token': { 'x-auth-token': 'nonsense' },
    'a stranger': await token('BETA-2'),
    'a submitter who may not read': await token('ALPHA-1:create,update,delete'),
    'another spelling': await token('alpha-1', 'ALPHA', 'ALPHA-'),
  }
  reader = await token('ALPHA-1:read')
})
afterAll(async () => {
  await world?.close()
  await pool?.close()
})

async function ask([request, body]: Door, headers: Readonly<Record<string, string>>) {
  const [method = '', path = ''] = request.split(' ')
  const response = await app.request(path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** The distinctive numbers, as text and in binary form as columns and HDF5 hold them. */
const SIGNS = [EXPRESSED, IN_CELLS].flatMap((number) => {
  const double = Buffer.alloc(8)
  double.writeDoubleLE(Number(number))
  return [Buffer.from(number), double]
})
const tells = (bytes: Buffer) => SIGNS.some((sign) => bytes.includes(sign))

describe.each(DOORS.map(titled))('$title', ({ door }) => {
  test('is closed to who may not read', async () => {
    for (const [who, headers] of Object.entries(callers)) {
      const { status, bytes } = await ask(door, headers)
      const refusals = door[0].includes('/drs/') ? [401, 403] : [403]
      expect([who, refusals.includes(status), tells(bytes)], `${status} ${bytes}`).toEqual([
        who,
        true,
        false,
      ])
      expect(bytes.length).toBeLessThan(400)
    }
  })

  test('is open to who may read', async () => {
    expect((await ask(door, reader)).status).toBe(200)
  })

  test('is recorded once for who reads, with what was read, and never for others', async () => {
    for (const headers of Object.values(callers))
      await ask(door, { ...headers, ...named('refused') })
    expect(linesOf('refused')).toEqual([])
    const request = randomUUID()
    await ask(door, { ...reader, ...named(request) })
    const isOfCells = /scrna|\/data|\/drs\//.test(door[0])
    expect(linesOf(request)).toMatchObject([
      {
        action: expect.stringMatching(/^(GET|POST) \//),
        subject: 'ALPHA-1:read',
        credential: { kind: 'token', id: reader['x-auth-token']?.slice(0, 16) },
        release: 'first',
        status: 200,
        files: { count: 1, ids: [isOfCells ? CELLS.id : SOURCE.file_id] },
        ...(isOfCells ? {} : { cases: { count: 1, ids: [CLOSED] } }),
      },
    ])
  })
})

const named = (request: string) => ({ 'x-request-id': request })

/** Returns the lines about a request. */
function linesOf(request: string): readonly unknown[] {
  const folder = join(world.folder, 'audit')
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((text) => JSON.parse(text) as { readonly request?: string })
    .filter((line) => line.request === request)
}

test('the record of the file that the expression comes from is open', async () => {
  const { bytes } = await ask([`GET /files/${SOURCE.file_id}?fields=access`], {})
  expect(JSON.parse(bytes.toString())).toMatchObject({ data: { access: 'open' } })
})

test('the numbers would be seen if they came through', async () => {
  const seen: Door[] = []
  for (const door of DOORS) if (tells((await ask(door, reader)).bytes)) seen.push(door)
  const kinds = new Set(seen.map(([request]) => request))
  expect(kinds).toContain('POST /gene_expression/values')
  expect(kinds).toContain('POST /scrna_seq/gene_expression')
  expect(seen.some(([, body]) => body && Reflect.get(body, 'format') === 'arrow')).toBe(true)
})

test.each(PUBLIC.map(titled))(
  '$title says the same to everybody, and nothing of the values',
  async ({ door }) => {
    const told = await ask(door, reader)
    expect([told.status, tells(told.bytes)]).toEqual([200, false])
    for (const headers of Object.values(callers)) expect(await ask(door, headers)).toEqual(told)
    await ask(door, { ...reader, ...named('public') })
    expect(linesOf('public')).toEqual([])
  },
)
