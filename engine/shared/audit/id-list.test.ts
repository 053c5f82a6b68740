import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../database/database.ts'
import { newState } from '../support/new-state.ts'
import { AuditRecord } from './audit-record.ts'
import { LIST_PREFIX, STEP } from './id-list.ts'
import { SegmentRegister } from './segment-register.ts'
import { verifyRecord } from './verify-record.ts'

let root = ''
let database: Database
let record: AuditRecord
const clock = () => new Date('2026-03-01T10:00:00Z')

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'casemill-lists-'))
  database = await newState()
  record = new AuditRecord({
    root,
    register: new SegmentRegister(database, clock),
    clock,
    report: () => {},
    days: 0,
  })
})
afterEach(async () => {
  await record.close()
  await database.close()
  rmSync(root, { recursive: true })
})

const idsOfPage = (page: number) => Array.from({ length: 500 }, (_, i) => `id-${500 * page + i}`)
const unfinished = () => readdirSync(root).filter((name) => name.startsWith(LIST_PREFIX))
const ANSWER = {
  request: 'request-1',
  action: 'GET /submission/{program}/{project}/export',
  subject: 'ada',
  credential: null,
  release: null,
  status: 200,
  bytes: null,
}

test('a list of many ids is in its file as they come, up to those of one step', async () => {
  const list = record.list()
  let text = ''
  for (let page = 0; page < 100; page++) {
    const ids = idsOfPage(page)
    text += `${ids.join('\n')}\n`
    await list.add(ids)
    const [folder] = unfinished()
    const file = folder && join(root, folder, readdirSync(join(root, folder))[0] ?? '')
    const written = file ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
    expect(500 * (page + 1) - written).toBeLessThanOrEqual(STEP)
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  const entities = await list.finish()
  expect(entities).toEqual({ count: 50_000, sha256 })
  expect(unfinished()).toEqual([])
  expect(readFileSync(join(root, '2026-03-01', 'lists', `${sha256}.txt`), 'utf8')).toBe(text)
  await record.answer(ANSWER, entities ? { entities } : {})
  const { issues } = await verifyRecord([root], await new SegmentRegister(database, clock).all())
  expect(issues).toEqual([])
})

test('equal lists are stored once, also of many ids', async () => {
  for (const _ of [1, 2]) {
    const list = record.list()
    for (let page = 0; page < 30; page++) await list.add(idsOfPage(page))
    await list.finish()
  }
  expect(readdirSync(join(root, '2026-03-01', 'lists'))).toHaveLength(1)
  expect(unfinished()).toEqual([])
})

test('nothing is left of a list that is not ended', async () => {
  const list = record.list()
  for (let page = 0; page < 30; page++) await list.add(idsOfPage(page))
  expect(unfinished()).toHaveLength(1)
  await list.drop()
  expect(readdirSync(root)).toEqual([])
})

/** The script of another process, which begins a list and then waits for the end of its input. */
const SCRIPT = `
  import { AuditRecord } from ${JSON.stringify(new URL('audit-record.ts', import.meta.url).href)}
  const record = new AuditRecord({ root: process.argv[1], clock: () => new Date(), report: () => {}, days: 0 })
  await record.list().add(Array.from({ length: ${STEP + 1} }, (_, i) => 'id-' + i))
  console.log('begun')
  process.stdin.resume()
`
async function startOther() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, root], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('the start deletes what killed processes have left of lists, and nothing of those that run', async () => {
  const running = await startOther()
  const [kept] = unfinished()
  const killed = await startOther()
  expect(unfinished()).toHaveLength(2)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  record.start()
  await vi.waitFor(() => expect(unfinished()).toEqual([kept]))
  running.stdin.end()
  await once(running, 'exit')
})
