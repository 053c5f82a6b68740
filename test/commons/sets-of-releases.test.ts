import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildRelease } from '../../engine/commons/release/build.ts'
import { Releases } from '../../engine/commons/release/releases.ts'
import { someDocuments, writeSources } from '../../engine/commons/release/support/documents.ts'
import type { Engine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { eventually } from '../eventually.ts'
import { openEngine, serveRelease } from '../places.ts'
import { appOf } from './search/support/app.ts'

// A set outlives its release and the process: members that a release lacks are reported, and count again in a
// release that has them (docs/reference/sets.md).

let folder = ''
let engine: Engine
const { projects, cases, files } = someDocuments(400)
const GONE = 3

async function build(id: string, leftOut: number): Promise<void> {
  const kept = { projects, cases: cases.slice(leftOut), files }
  const sources = await writeSources(folder, kept)
  const facts = {
    id,
    dataRelease: `Data Release ${id}`,
    version: { major: 1, minor: 0, releaseDate: '2024-01-01' },
    createdAt: '2024-01-01T00:00:00.000Z',
  }
  const { path } = new Releases(folder)
  await buildRelease({ folder: path, sources, facts, executor: inlineExecutor })
}

async function open(): Promise<void> {
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-sets-of-releases-'))
  await build('first', 0)
  await new Releases(folder).switchTo('first')
  await open()
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

async function asked(path: string, body?: unknown) {
  const response = await appOf(engine).request(path, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const text = await response.text()
  return response.headers.get('content-type')?.startsWith('application/json')
    ? JSON.parse(text)
    : text
}

async function serve(id: string): Promise<void> {
  await serveRelease(engine, id)
  await eventually(() => expect(engine.commons.releaseFacts()?.id).toBe(id))
}

test('members are carried over releases, and those that are lost are reported', async () => {
  const all = cases.length
  expect(all).toBeGreaterThan(30)
  const { data: made } = await asked('/sets', { type: 'case' })
  const id = made.set_id
  const set = { op: 'in', content: { field: 'cases.case_id', value: [`set_id:${id}`] } }
  const total = async () => (await asked('/cases', { filters: set, size: 0 })).data.pagination.total
  expect([made.size, made.lost, await total()]).toEqual([all, 0, all])

  await build('second', GONE)
  await serve('second')
  expect((await asked(`/sets/${id}`)).data).toMatchObject({
    size: all - GONE,
    lost: GONE,
    release: 'first',
  })
  expect(await total()).toBe(all - GONE)
  const lost = (await asked(`/sets/${id}/ids?lost=true`)).trim().split('\n')
  const ids = cases.slice(0, GONE).map(({ case_id: one }) => one)
  expect(lost).toEqual(['case_id', ...ids.toSorted()])

  // Changing the set keeps these members.
  const first = { op: '=', content: { field: 'cases.case_id', value: cases[GONE]?.case_id } }
  const { data: less } = await asked(`/sets/${id}/remove`, { filters: first })
  expect(less).toMatchObject({ size: all - GONE - 1, lost: GONE })

  await engine.close()
  await open()
  expect(await total()).toBe(all - GONE - 1)

  await build('third', 0)
  await serve('third')
  expect((await asked(`/sets/${id}`)).data).toMatchObject({ size: all - 1, lost: 0 })
  expect(await total()).toBe(all - 1)
})
