import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Engine, inlineExecutor, openEngine } from '../../engine/index.ts'
import { appOf } from '../commons/search/support/app.ts'

// Administrators read the record over HTTP.

let folder = ''
let engine: Engine
let admin = ''
let reader = ''

async function open(isRecorded: boolean): Promise<void> {
  const audit = isRecorded ? { days: 0 } : undefined
  // Each look at the clock is a millisecond later.
  let now = Date.parse('2026-03-01T10:00:00Z')
  const clock = () => new Date(now++)
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor, audit, clock })
  const { tokens } = engine.shared
  admin = (await tokens.create({ user: 'operator', admin: true })).secret
  reader = (await tokens.create({ user: 'reader', projects: ['ALPHA-1'] })).secret
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-events-'))
})
afterEach(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

interface Events {
  readonly node: string
  readonly other_nodes: readonly string[]
  readonly data: readonly {
    readonly subject: string
    readonly action: string
    readonly files: readonly string[]
    readonly file_count: number
  }[]
  readonly has_more: boolean
}

async function ask(query: string, token?: string) {
  const headers = token === undefined ? {} : { 'X-Auth-Token': token }
  const answer = await appOf(engine).request(`/audit/events${query}`, { headers })
  return { status: answer.status, body: (await answer.json()) as Events }
}

async function record(subject: string, files: readonly string[]): Promise<void> {
  const answer = {
    request: 'request-1',
    action: 'GET /data/{ids}',
    subject,
    credential: null,
    release: null,
    status: 200,
    bytes: 1,
  }
  await engine.shared.audit?.answer(answer, { files })
}

const subjectsOf = ({ body }: { readonly body: Events }) => body.data.map(({ subject }) => subject)

test('only administrators read it, and their reading is recorded', async () => {
  await open(true)
  expect((await ask('')).status).toBe(403)
  expect((await ask('', reader)).status).toBe(403)
  expect((await ask('', 'nonsense')).status).toBe(403)
  expect(await ask('', admin)).toMatchObject({ status: 200, body: { data: [], has_more: false } })
  const { body } = await ask('', admin)
  expect(body.data).toMatchObject([{ action: 'GET /audit/events', subject: 'operator' }])
})

test('events are selected by user, file and time, newest first', async () => {
  await open(true)
  await record('ada', ['f-1'])
  await record(
    'bob',
    Array.from({ length: 150 }, (_, i) => `f-${i}`),
  )
  expect(subjectsOf(await ask('?file_id=f-1', admin))).toEqual(['bob', 'ada'])
  expect(subjectsOf(await ask('?file_id=F-149', admin))).toEqual(['bob'])
  expect(subjectsOf(await ask('?subject=ada', admin))).toEqual(['ada'])
  expect(subjectsOf(await ask('?subject=ada&until=2000-01-01', admin))).toEqual([])
  const { body } = await ask('?file_id=f-1&size=1', admin)
  expect(body).toMatchObject({ data: [{ subject: 'bob', file_count: 150 }], has_more: true })
  expect(body.data[0]?.files).toHaveLength(100)
})

test('other nodes with records of the same state are named', async () => {
  await open(true)
  await record('ada', ['f-1'])
  expect((await ask('', admin)).body.other_nodes).toEqual([])
  await engine.shared.state.write(async (transaction) => {
    const sql = `INSERT INTO audit_segments (node, segment, opened_at, lines, sha256, swept_at)
      VALUES (?, ?, '', ?, '', ?)`
    await transaction.run(sql, ['node-2', 'a', 3, null])
    await transaction.run(sql, ['node-3', 'a', 3, '2026-01-01'])
    await transaction.run(sql, ['node-4', 'a', 0, null])
  })
  const { body } = await ask('', admin)
  expect(body.other_nodes).toEqual(['node-2'])
  expect(body.node).toMatch(/^[0-9a-f-]{36}$/)
})

test.each(['?since=yesterday', '?size=0', '?size=1001', `?subject=${'x'.repeat(1501)}`])(
  '%s is refused',
  async (query) => {
    await open(true)
    expect((await ask(query, admin)).status).toBe(400)
  },
)

test('without a record there is nothing to read', async () => {
  await open(false)
  expect((await ask('', admin)).status).toBe(404)
})

test('events are found by the longest name of a person, and by ids in any letter case', async () => {
  await open(true)
  const subject = `https://login.example.org/${'r'.repeat(970)}#${'s'.repeat(255)}`
  await record(subject, ['F-1'])
  expect(subjectsOf(await ask(`?subject=${encodeURIComponent(subject)}`, admin))).toEqual([subject])
  expect(subjectsOf(await ask('?file_id=f-1', admin))).toEqual([subject])
})
