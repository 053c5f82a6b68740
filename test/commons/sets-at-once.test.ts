import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import { EngineError, inlineExecutor } from '../../engine/shared/index.ts'
import { copyMadeRelease } from '../made-release.ts'
import { openEngine } from '../places.ts'
import { appOf } from './search/support/app.ts'

// Sets are changed, read and counted at the same time: no answer shows half of a change, and the stored data
// stay within their limits.

let folder = ''
let engine: Engine
let state: DatabaseSync
let ids: readonly string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-sets-at-once-'))
  const dataFolder = join(folder, 'data')
  await copyMadeRelease(dataFolder)
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
  await engine.start()
  state = new DatabaseSync(join(dataFolder, 'state.sqlite'))
  ids = await tableOf((await make()).id)
})
afterAll(async () => {
  state?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const is = (...value: readonly string[]) => ({
  op: 'in',
  content: { field: 'genes.gene_id', value },
})
const genes = (from: number, to: number) => is(...ids.slice(from, to))
const make = (filters?: unknown, client = 'one') =>
  engine.commons.sets.create({ type: 'gene', filters, client })

async function tableOf(id: string): Promise<readonly string[]> {
  const all: string[] = []
  for await (const some of engine.commons.sets.ids(id)) all.push(...some)
  return all
}

const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((one) => {
    if (one.status === 'fulfilled') return []
    return [one.reason instanceof EngineError ? one.reason.code : one.reason]
  })

test('of changes at the same time only one keeps its members', async () => {
  const { sets } = engine.commons
  const { id } = await make(genes(0, 1))
  const changes = [1, 2, 3, 4].map((from) => sets.append(id, { filters: genes(from, from + 1) }))
  const codes = codesOf(await Promise.allSettled(changes))
  expect([...new Set(codes)]).toEqual(['conflict'])
  const kept = 'SELECT count(DISTINCT version) AS versions FROM set_members WHERE set_id = ?'
  expect(state.prepare(kept).get(id)).toEqual({ versions: 1 })
})

test('a set that is changed after a request named it is not empty in the answer', async () => {
  const { id } = await make(genes(0, 2))
  const filters = await engine.commons.sets.pin(is(`set_id:${id}`))
  // Another process that serves the folder deletes in the same way.
  for (const table of ['sets', 'set_members', 'set_rows']) {
    const key = table === 'sets' ? 'id' : 'set_id'
    state.prepare(`UPDATE ${table} SET version = 77 WHERE ${key} = ?`).run(id)
  }
  expect((await make(filters)).size).toBe(2)
})

test('members that are replaced while they are read are no short table', async () => {
  const { id } = await make(genes(0, 3))
  state.prepare('DELETE FROM set_members WHERE set_id = ?').run(id)
  await expect(tableOf(id)).rejects.toMatchObject({ code: 'conflict' })
})

test('a set that is removed while it is changed is reported', async () => {
  const { sets } = engine.commons
  for (let round = 0; round < 5; round++) {
    const { id } = await make(genes(0, 1))
    const append = () => sets.append(id, { filters: genes(1, 40) })
    const results = await Promise.allSettled([append(), sets.delete(id), append()])
    for (const code of codesOf(results)) expect(['conflict', 'not_found']).toContain(code)
    await expect(sets.get(id)).rejects.toMatchObject({ code: 'not_found' })
    const left = state.prepare('SELECT count(*) AS chunks FROM set_members WHERE set_id = ?')
    expect(left.get(id)).toEqual({ chunks: 0 })
  }
})

test('members that are added count against the limit, as do sets that are made at once', async () => {
  const { sets } = engine.commons
  const [small, large] = [await make(genes(0, 1), 'two'), await make(genes(0, 1), 'two')]
  // docs/reference/limits.md: 256 MiB of one client, with 32 KiB for each set.
  const bytes = (256 << 20) - (32 << 10) - 500
  state.prepare('UPDATE sets SET bytes = ? WHERE id = ?').run(bytes, large.id)
  const refused = { code: 'too_many', message: expect.stringContaining('of this client') }
  await expect(sets.append(small.id, { filters: genes(0, 60) })).rejects.toMatchObject(refused)
  expect((await sets.get(small.id)).size).toBe(1)
  expect((await sets.append(small.id, { filters: genes(0, 5) })).size).toBe(5)
  // This leaves room for one more set.
  state.prepare('UPDATE sets SET bytes = ? WHERE id = ?').run(bytes - (32 << 10) - 500, large.id)
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => make(genes(0, 20), 'two')),
  )
  expect(codesOf(results)).toEqual(['too_many', 'too_many', 'too_many'])
})

test('what a set is for is a short text, whoever says it', async () => {
  const { sets } = engine.commons
  const [intent, longer] = ['x'.repeat(1000), 'x'.repeat(1001)]
  const refused = { code: 'bad_input', at: 'intent' }
  const made = { type: 'gene', client: 'one', size: 1 } as const
  expect((await sets.create({ ...made, intent })).intent).toBe(intent)
  await expect(sets.create({ ...made, intent: longer })).rejects.toMatchObject(refused)
  const ids = [(await make(genes(0, 1))).id, (await make(genes(0, 2))).id]
  const combined = { ids, operation: 'union', client: 'one' } as const
  await expect(sets.combine({ ...combined, intent: longer })).rejects.toMatchObject(refused)
  const query =
    'mutation ($i: CreateSetInput) { sets { create { explore { gene(input: $i) { size } } } } }'
  const asked = async (text: string) => {
    const body = JSON.stringify({ query, variables: { i: { filters: {}, size: 1, intent: text } } })
    const headers = { 'content-type': 'application/json' }
    return (await appOf(engine).request('/graphql', { method: 'POST', headers, body })).status
  }
  expect([await asked(intent), await asked(longer)]).toEqual([200, 400])
})

test('a client keeps at most an eighth of the space that others leave', async () => {
  const { sets, cohorts } = engine.commons
  // docs/reference/limits.md: 4 GiB of sets of all clients, 256 MiB of one.
  state.exec('DELETE FROM sets')
  const { id: full } = await make(genes(0, 1), 'full')
  const { id: half } = await make(genes(0, 1), 'half')
  const write = state.prepare('UPDATE sets SET bytes = ? WHERE id = ?')
  write.run(2 ** 32 - 8 * (64 << 10) - (1 << 20), full)
  write.run(1 << 20, half)
  const busy = { code: 'busy' }
  await expect(make(genes(0, 1), 'half')).rejects.toMatchObject(busy)
  // The remaining 64 KiB take one set of 32 KiB and its members, but not two.
  expect((await make(genes(0, 2), 'late')).size).toBe(2)
  await expect(make(genes(0, 2), 'late')).rejects.toMatchObject(busy)
  expect((await make(genes(0, 2), 'later')).size).toBe(2)
  await sets.delete(full)
  expect((await make(genes(0, 2), 'late')).size).toBe(2)
  // 1 GiB of cohorts, with 8 KiB for each.
  const each = (8 << 10) + 2
  const count = Math.floor((2 ** 30 - 8 * 2 * each) / each)
  state
    .prepare(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO cohorts (id, context_sha256, owner, name, name_key, filters, type, release,
        created_at, modified_at, used_at)
      SELECT n, '', 'full', n, n, '{}', 'dynamic', '', '', '', '9999' FROM numbers`)
    .run(count)
  state.prepare('UPDATE cohort_room SET bytes = ?').run(count * each)
  const save = (client: string, name: string) =>
    cohorts.create({ context: cohorts.newContext(), client }, { name, filters: {} })
  for (const name of ['a', 'b']) await save('late', name)
  await expect(save('late', 'c')).rejects.toMatchObject(busy)
  await save('later', 'a')
  state.exec('DELETE FROM cohorts; UPDATE cohort_room SET bytes = 0')
})

test('16 tables of sets are under way at the same time; beyond, one is told to retry', async () => {
  const { setFiles, sets } = engine.commons
  const file = { id: (await make(genes(0, 3))).id, fileName: 'a.tsv' }
  const [one, several] = [() => setFiles.of([file]), () => setFiles.of([file, file])]
  const begun = await Promise.all(Array.from({ length: 16 }, (_, i) => (i % 2 ? one : several)()))
  const app = appOf(engine)
  const body = JSON.stringify({ sets: [file, file].map(({ id }) => ({ id })) })
  const headers = { 'content-type': 'application/json' }
  for (const refused of [
    await app.request('/tar_sets', { method: 'POST', headers, body }),
    await app.request(`/sets/${file.id}/ids`),
  ]) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.text()).toContain('too many tables of sets are under way')
  }
  // Two answers are never read, two are read to their end, and two are aborted midway.
  const [first, second, third, fourth, fifth, sixth, ...rest] = begun
  for (const unread of [first, second]) await unread?.[Symbol.asyncDispose]()
  for (const read of [third, fourth]) {
    for await (const chunk of read?.body ?? []) expect(chunk.length).toBeGreaterThan(0)
  }
  for (const left of [fifth, sixth]) for await (const _ of left?.body ?? []) break
  const again = await Promise.all([one(), several(), one(), several(), one(), several()])
  await expect(one()).rejects.toMatchObject({ code: 'busy' })
  for (const answer of [...rest, ...again]) await answer[Symbol.asyncDispose]()
  // Rejected requests release their places.
  for (let i = 0; i < 20; i++) {
    await expect(setFiles.of([{ id: 'f'.repeat(32), fileName: 'a' }])).rejects.toMatchObject({
      code: 'not_found',
    })
  }
  await (await several())[Symbol.asyncDispose]()
  expect((await sets.get(file.id)).size).toBe(3)
})

test('an archive has so many members at most, however often a set is named', async () => {
  const { id, size } = await make()
  const most = 16_000_000
  const { sets, setFiles } = engine.commons
  const get = sets.get.bind(sets)
  const large = vi
    .spyOn(sets, 'get')
    .mockImplementation(async (asked) => ({ ...(await get(asked)), size: most / 4, lost: 1 }))
  try {
    const file = { id, fileName: 'a.tsv' }
    const refused = setFiles.of([file, file, file, file])
    await expect(refused).rejects.toMatchObject({ code: 'too_many', at: 'sets' })
    await (await setFiles.of([file, file, file]))[Symbol.asyncDispose]()
  } finally {
    large.mockRestore()
  }
  expect(size).toBeLessThan(most)
})
