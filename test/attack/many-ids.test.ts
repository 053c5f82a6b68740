import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { DrsObject } from '../../engine/commons/index.ts'
import type { Engine } from '../../engine/index.ts'
import { EngineError, inlineExecutor } from '../../engine/shared/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import { readBody } from '../../server/ga4gh/htsget-parameters.ts'
import type { App } from '../../server/http/compose.ts'
import { appOf } from '../commons/search/support/app.ts'
import { openEngine } from '../places.ts'

// Long lists of ids must let other work run in between, and equal ids are looked up only once.

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

const post = async (path: string, body: object) => {
  const got = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await got.json()) as {
    readonly summary: { readonly requested: number; readonly resolved: number }
    readonly resolved_drs_object_access_urls: readonly object[]
  }
}
const askAccess = (ids: readonly string[]) => {
  const asked = ids.map((id) => ({ bulk_object_id: id, bulk_access_ids: ['https'] }))
  return post('/ga4gh/drs/v1/objects/access', { bulk_object_access_ids: asked })
}

/** Counts the units of work that take longer than others may wait, and those within one turn of the loop. */
function longUnits() {
  let turn = 0
  let next = setImmediate(function count() {
    turn++
    next = setImmediate(count)
  })
  const units = new Map<number, number>()
  return {
    work() {
      units.set(turn, (units.get(turn) ?? 0) + 1)
      for (const until = performance.now() + 10; performance.now() < until; );
    },
    /** The maximum per turn. Two are allowed, because the turn in which the first begins may also run the second. */
    mostAtATime() {
      clearImmediate(next)
      return Math.max(...units.values())
    },
  }
}

test('others are let in between addresses of several objects', async () => {
  const units = longUnits()
  vi.spyOn(engine.commons.drs, 'link').mockImplementation(async (id) => {
    units.work()
    throw new EngineError('not_found', `no object has the id "${id}"`)
  })
  const { summary } = await askAccess(Array.from({ length: 20 }, (_, i) => uuid(i)))
  expect(summary).toMatchObject({ requested: 20, resolved: 0 })
  expect(units.mostAtATime()).toBeLessThanOrEqual(2)
})

test('others are let in between objects that are written', async () => {
  const units = longUnits()
  const objectOf = (id: string): DrsObject => ({
    ...({ kind: 'blob', id, name: id, size: 1, updatedAt: new Date(0), checksums: [] } as const),
    description: undefined,
    aliases: [],
    dataFormat: 'TSV',
    isOpen: true,
    isStored: true,
    get createdAt() {
      units.work()
      return new Date(0)
    },
  })
  const ids = Array.from({ length: 20 }, (_, i) => uuid(i))
  const found = new Map(ids.map((id) => [id, objectOf(id)]))
  vi.spyOn(engine.commons.drs, 'objects').mockResolvedValue(found)
  const { summary } = await post('/ga4gh/drs/v1/objects', { bulk_object_ids: ids })
  expect(summary).toMatchObject({ requested: 20, resolved: 20 })
  expect(units.mostAtATime()).toBeLessThanOrEqual(2)
})

test('an object that is asked for several times is looked up once', async () => {
  const link = vi
    .spyOn(engine.commons.drs, 'link')
    .mockResolvedValue({ fileId: uuid(1), ticket: undefined, expiresAt: undefined })
  const { summary, ...answer } = await askAccess(Array.from({ length: 10_000 }, () => uuid(1)))
  expect(link).toHaveBeenCalledTimes(1)
  expect(summary).toMatchObject({ requested: 1, resolved: 1 })
  expect(answer.resolved_drs_object_access_urls).toHaveLength(1)
})

test('others are let in between regions of a request for a ticket', async () => {
  const regions = Array.from({ length: 33_000 }, (_, start) => ({
    referenceName: 'a',
    start,
    end: start + 1,
  }))
  const body = Buffer.from(JSON.stringify({ regions }))
  let turns = 0
  let next = setImmediate(function count() {
    turns++
    next = setImmediate(count)
  })
  const read = await readBody(body, 'reads')
  clearImmediate(next)
  expect(read.regions).toEqual(regions)
  // Once, no turn ended before all ids were read.
  expect(turns).toBeGreaterThan(0)
  const wrong = JSON.stringify({ regions: [...regions, { referenceName: 'a', start: -1 }] })
  await expect(readBody(Buffer.from(wrong), 'reads')).rejects.toMatchObject({
    code: 'bad_input',
    at: 'regions[33000].start',
  })
})
