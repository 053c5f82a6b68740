import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, inlineExecutor, openEngine } from '../../engine/index.ts'
import {
  type RecordedEvent,
  type RecordQuery,
  readRecord,
} from '../../engine/shared/audit/read-record.ts'
import { auditFolder } from '../../engine/shared/shared.ts'
import { appOf } from '../commons/search/support/app.ts'

// While the record is kept, lines about submitted data name the entities, and only the projects of the answer.

let folder = ''
let engine: Engine
let admin = ''
let samples: readonly string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-submitted-record-'))
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor, audit: { days: 0 } })
  admin = (await engine.shared.tokens.create({ user: 'head', admin: true })).secret
  const accession = { dbgap_accession_number: 'phs1' }
  await ask('PUT', '/submission', { type: 'program', name: 'LAB', ...accession })
  for (const code of ['ONE', 'TWO']) {
    await ask('PUT', '/submission/LAB', { code, name: code, ...accession })
    const cases = Array.from({ length: code === 'ONE' ? 150 : 1 }, (_, i) => ({
      type: 'case',
      submitter_id: `${code}-${i}`,
      projects: [{ code }],
      disease_type: 'Gliomas',
      primary_site: 'Brain',
    }))
    const made = await ask('POST', `/submission/LAB/${code}`, cases)
    if (code === 'ONE') samples = idsOf(made)
  }
})
afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

interface Answer {
  readonly transaction_id: number
  readonly entities: readonly { readonly id: string }[]
}
const idsOf = ({ entities }: Answer) => entities.map(({ id }) => id)

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'X-Auth-Token': admin, 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await appOf(engine).request(path, { method, headers, ...sent })
  const text = await answer.text()
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as Answer
}

async function recorded(query: RecordQuery = {}): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of readRecord(auditFolder(folder), query)) events.push(event)
  return events
}

const last = async () => (await recorded()).at(-1)

const PROJECT = '/submission/LAB/ONE'

test('a submission names what it created and its transaction, in a list if there are many', async () => {
  const events = await recorded()
  const [program, one, many] = events
  expect(program).toMatchObject({ action: 'PUT /submission', projects: [] })
  expect(program?.entities).toHaveLength(1)
  expect(one).toMatchObject({ action: 'PUT /submission/{program}', projects: ['LAB-ONE'] })
  expect(samples).toHaveLength(150)
  expect(many).toMatchObject({
    action: 'POST /submission/{program}/{project}',
    projects: ['LAB-ONE'],
    entities: samples.toSorted(),
  })
  expect(many?.transaction).toBeGreaterThan(0)
})

test('an asynchronous submission names its transaction', async () => {
  const entity = { type: 'case', id: samples[0], primary_site: 'Kidney' }
  const { transaction_id } = await ask('PATCH', `${PROJECT}?async=true`, entity)
  expect(await last()).toMatchObject({ transaction: transaction_id, entities: [] })
  await engine.submission.transactions.idle()
})

test('reads, exports and deletions name their entities', async () => {
  const [one = '', other = '', gone = ''] = samples
  await ask('GET', `${PROJECT}/entities/${one},${other.toUpperCase()}`)
  expect((await last())?.entities).toEqual([one, other].sort())
  await ask('GET', `${PROJECT}/export?node_label=case&format=json`)
  expect((await last())?.entities).toEqual(samples.toSorted())
  await ask('GET', `${PROJECT}/export?ids=${one}&format=json`)
  expect((await last())?.entities).toEqual([one])
  const { transaction_id } = await ask('DELETE', `${PROJECT}/entities/${gone}`)
  expect(await last()).toMatchObject({ entities: [gone], transaction: transaction_id })
  expect(await recorded({ entity: gone })).toHaveLength(3)
})

test('a query names the entities and projects of its rows, also of a number of them', async () => {
  const query = async (text: string) => {
    await ask('POST', '/submission/graphql', { query: text })
    const event = await last()
    return [event?.projects, event?.entities]
  }
  const [one = ''] = samples
  expect(await query(`{ case(id: "${one}") { primary_site } }`)).toEqual([['LAB-ONE'], [one]])
  expect(await query('{ case(submitter_id: "NONE") { id } }')).toEqual([[], []])
  expect(await query('{ _case_count(project_id: "LAB-TWO") }')).toEqual([['LAB-TWO'], []])
  expect(await query('{ _case_count }')).toEqual([['LAB-ONE', 'LAB-TWO'], []])
  expect(await query('{ project(code: "TWO") { code } }')).toEqual([['LAB-TWO'], []])
  expect(await query('{ transaction_log(project: "TWO") { id } }')).toEqual([['LAB-TWO'], []])
  const [projects, entities] = await query('{ project(code: "TWO") { cases { id } } }')
  expect([projects, entities?.length]).toEqual([['LAB-TWO'], 1])
})
