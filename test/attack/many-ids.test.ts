import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import { EngineError, inlineExecutor } from '../../engine/shared/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import type { App } from '../../server/http/compose.ts'
import { appOf } from '../commons/search/support/app.ts'
import { openEngine } from '../places.ts'

// Lists of ids: others are let in between two that take long, and equal ones are looked up once.

let folder = ''
let engine: Engine
let app: App

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-many-'))
  const made = { dataFolder: folder, executor: inlineExecutor, scale: 'tiny', seed: 5 } as const
  await buildMadeRelease({ ...made, id: 'first' })
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const uuid = (i: number) => `${String(i).padStart(8, '0')}-000a-4000-8000-00000000cafe`

const askAccess = async (asked: readonly (readonly [id: string, accessId: string])[]) => {
  const objects = asked.map(([id, accessId]) => ({
    bulk_object_id: id,
    bulk_access_ids: [accessId],
  }))
  const got = await app.request('/ga4gh/drs/v1/objects/access', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ bulk_object_access_ids: objects }),
  })
  return (await got.json()) as {
    readonly summary: { readonly requested: number; readonly resolved: number }
    readonly resolved_drs_object_access_urls: readonly object[]
  }
}

test('others are let in between addresses of several objects', async () => {
  let turn = 0
  let next = setImmediate(function count() {
    turn++
    next = setImmediate(count)
  })
  const turns: number[] = []
  vi.spyOn(engine.commons.drs, 'link').mockImplementation(async (id) => {
    turns.push(turn)
    // Longer than others may have to wait.
    for (const until = performance.now() + 10; performance.now() < until; );
    throw new EngineError('not_found', `no object has the id "${id}"`)
  })
  const { summary } = await askAccess(Array.from({ length: 20 }, (_, i) => [uuid(i), 'https']))
  clearImmediate(next)
  expect(summary).toMatchObject({ requested: 20, resolved: 0 })
  // All 20 were found in one turn before.
  const found = [...Map.groupBy(turns, (one) => one).values()].map(({ length }) => length)
  expect(Math.max(...found)).toBeLessThanOrEqual(2)
})

test('an object that is asked for several times is looked up once', async () => {
  const link = vi
    .spyOn(engine.commons.drs, 'link')
    .mockResolvedValue({ fileId: uuid(1), ticket: undefined, expiresAt: undefined })
  const asked = Array.from({ length: 10_000 }, () => [uuid(1), 'https'] as const)
  const { summary, ...answer } = await askAccess(asked)
  expect(link).toHaveBeenCalledTimes(1)
  expect(summary).toMatchObject({ requested: 1, resolved: 1 })
  expect(answer.resolved_drs_object_access_urls).toHaveLength(1)
})
