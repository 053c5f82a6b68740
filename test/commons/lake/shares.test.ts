import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../../server/main.ts'
import { idOf, type Records, recordOf } from '../contract/support/download-records.ts'
import { listenFor } from '../contract/support/listen.ts'
import {
  type ExpressionWorld,
  openExpressionWorld,
} from '../expression/support/expression-world.ts'
import { LakeWorld } from './support/lake-world.ts'

// Checks where a record or a value is placed: files of several projects, and expression with restricted access.
// Open data are those that the service returns without a token.

const CASES = [1, 2, 3, 4, 5, 6].map(idOf) as [string, string, string, string, string, string]
const [OPEN, OTHER, BY_FILE, BY_PROJECT, CLOSED_LATER, STRAY] = CASES
const GENES = ['ENSG00000000001', 'ENSG00000000002'] as const
const [FILE, SHARED, NOBODYS, PLAIN, UNSAID] = [50, 51, 52, 53, 54].map(idOf) as [
  ...[string, string, string, string, string],
]
/** A name that cannot be the name of a folder unchanged. */
const ODD = "ODD/1 %'Ä"

const fileOf = (id: string, fields: object) =>
  recordOf({ id, name: 'a.tsv', bytes: Buffer.from('x') }, fields)
const caseOf = (case_id: string, project_id: string) => ({ case_id, project: { project_id } })

const RECORDS: Records = {
  projects: ['ALPHA-1', 'BETA-2', ODD].map((project_id) => ({ project_id })),
  cases: [
    ...[OPEN, BY_FILE, CLOSED_LATER].map((id) => caseOf(id, 'ALPHA-1')),
    ...[BY_PROJECT].map((id) => caseOf(id, 'BETA-2')),
    { ...caseOf(OTHER, ODD), disease_type: 'odd \ud800' },
  ],
  files: [
    fileOf(FILE, { access: 'controlled', cases: [{ case_id: BY_FILE }] }),
    fileOf(SHARED, {
      access: 'open',
      cases: [OPEN, BY_PROJECT, OPEN].map((case_id) => ({ case_id })),
    }),
    fileOf(NOBODYS, { access: 'open', cases: [] }),
    fileOf(PLAIN, { access: 'open', cases: [{ case_id: OTHER }] }),
    fileOf(UNSAID, { access: undefined, cases: [{ case_id: CLOSED_LATER }] }),
  ],
}

const MATRIX = {
  kind: 'fixed',
  cases: [
    { caseId: OPEN },
    { caseId: OTHER },
    { caseId: BY_FILE, fileId: FILE, access: 'open' },
    { caseId: BY_PROJECT, fileId: SHARED, access: 'controlled' },
    { caseId: CLOSED_LATER, fileId: UNSAID, access: 'open' },
    { caseId: STRAY },
  ],
  rows: [
    { geneId: GENES[0], symbol: null, values: Uint32Array.of(1, 20_000, 3, 4, 5, 6) },
    { geneId: GENES[1], symbol: null, values: Uint32Array.of(0, 0xffffffff, 7, 8, 9, 0xfffffffe) },
  ],
} as const

let service: ExpressionWorld
let server: RunningServer
let world: LakeWorld

beforeAll(async () => {
  service = await openExpressionWorld(RECORDS, MATRIX)
  server = await listenFor(service.engine)
  world = await LakeWorld.make()
})
afterAll(async () => {
  await server?.close()
  await service?.close()
  await world?.remove()
})

/** Values of a case as the service returns them without a token; `undefined` if it refuses. */
async function openValues(caseId: string): Promise<readonly unknown[] | undefined> {
  const body = { case_ids: [caseId], gene_ids: GENES, tsv_units: 'uqfpkm' }
  const response = await fetch(`${server.address}/gene_expression/values`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })
  if (response.status === 401 || response.status === 403) return undefined
  expect(response.status).toBe(200)
  const [, ...lines] = (await response.text()).trimEnd().split('\n')
  return lines.flatMap((line) => {
    const [gene_id, cell = ''] = line.split('\t')
    return cell === '' ? [] : [{ gene_id, case_id: caseId, uqfpkm: Number(cell) }]
  })
}

const VALUES = 'SELECT gene_id, case_id, uqfpkm FROM lake ORDER BY case_id, gene_id'

describe('expression', () => {
  test('without being asked, only what everybody gets is written', async () => {
    const dataFolder = service.folder
    const { tables } = await world.export({ dataFolder })
    expect(tables.map(({ name }) => name)).toEqual(['projects', 'cases', 'files', 'expression'])
    const values = await Promise.all(CASES.map(openValues))
    const open = values.flatMap((some) => some ?? [])
    expect(values.filter((some) => some === undefined)).toHaveLength(3)
    expect(await world.ask(await world.table('expression'), VALUES)).toEqual(open)
  })

  test('all others are in a folder of their own when they are asked for', async () => {
    const dataFolder = service.folder
    const { tables } = await world.export({ dataFolder, controlled: true })
    expect(tables.map(({ name, isNew }) => [name, isNew])).toEqual([
      ...['projects', 'cases', 'files', 'expression'].map((name) => [name, false]),
      ['controlled/expression', true],
    ])
    const rows = await world.ask(await world.table('controlled/expression'), VALUES)
    const of = (gene: number, case_id: string, uqfpkm: number) => {
      return { gene_id: GENES[gene], case_id, uqfpkm }
    }
    expect(rows).toEqual([
      ...[of(0, BY_FILE, 0.0003), of(1, BY_FILE, 0.0007)],
      ...[of(0, BY_PROJECT, 0.0004), of(1, BY_PROJECT, 0.0008)],
      ...[of(0, CLOSED_LATER, 0.0005), of(1, CLOSED_LATER, 0.0009)],
    ])
  })
})

test('a file of several projects, or of none, is in one place and names them all', async () => {
  const table = await world.table('files')
  const sql = 'SELECT file_id, project_id, project_ids FROM lake ORDER BY file_id'
  expect(await world.ask(table, sql)).toEqual([
    { file_id: FILE, project_id: 'ALPHA-1', project_ids: ['ALPHA-1'] },
    { file_id: SHARED, project_id: null, project_ids: ['ALPHA-1', 'BETA-2'] },
    { file_id: NOBODYS, project_id: null, project_ids: [] },
    { file_id: PLAIN, project_id: ODD, project_ids: [ODD] },
    { file_id: UNSAID, project_id: 'ALPHA-1', project_ids: ['ALPHA-1'] },
  ])
  const log = table.files.map(({ partitionValues }) => partitionValues.project_id)
  expect(log.toSorted()).toEqual(['', 'ALPHA-1', ODD])
})

test('half of a character becomes a mark of what is none', async () => {
  const sql = 'SELECT disease_type FROM lake WHERE disease_type IS NOT NULL'
  expect(await world.ask(await world.table('cases'), sql)).toEqual([{ disease_type: 'odd \ufffd' }])
})
