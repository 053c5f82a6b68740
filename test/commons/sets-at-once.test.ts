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

// Sets that are changed, read and counted at the same time: an answer is not of half a set, and what is kept stays
// within its limits.

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
  // As another process does that serves the folder, too.
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

test('a set that is removed while it is changed is told', async () => {
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
  // Room for one more.
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

test('who fills the space of all sets does not keep it from others', async () => {
  const { sets, cohorts } = engine.commons
  // docs/reference/limits.md: 4 GiB of all clients, 256 MiB of one.
  const [space, clients] = [2 ** 32, 20]
  const filled: string[] = []
  for (let i = 0; i < clients; i++) {
    filled.push((await make(genes(0, 1), `filler ${String(i).padStart(2, '0')}`)).id)
  }
  const also = (await make(genes(0, 1), 'filler 00')).id
  const { id: small } = await make(genes(0, 1), 'small')
  const write = state.prepare('UPDATE sets SET bytes = ?, used_at = ? WHERE id = ?')
  const each = 2 * Math.ceil(space / clients / 2)
  for (const id of filled) write.run(each, '9999-01-01T00:00:00.000Z', id)
  write.run(each / 2, '9999-01-01T00:00:00.000Z', filled[0]!)
  write.run(each / 2, '9999-01-02T00:00:00.000Z', also)
  const named = { name: 'a', filters: is(`set_id:${filled[0]}`) }
  await cohorts.create({ context: cohorts.newContext(), client: 'filler 00' }, named)
  const left = () => {
    const known = new Set(
      state
        .prepare('SELECT id FROM sets')
        .all()
        .map(({ id }) => id),
    )
    return [...filled, also, small].filter((id) => known.has(id))
  }
  // Who keeps as much as any gets no more, and nothing is removed for that.
  await expect(make(genes(0, 1), 'filler 03')).rejects.toMatchObject({ code: 'busy' })
  expect(left()).toEqual([...filled, also, small])
  expect((await make(genes(0, 2), 'late')).size).toBe(2)
  // Of one of those who keep the most, and not what a cohort names.
  expect(left()).toEqual([...filled, small])
  expect((await sets.append(small, { filters: genes(0, 60) })).size).toBe(60)
  for (const id of filled) await sets.delete(id)
})

test('who fills the space of all cohorts does not keep it from others', async () => {
  const { cohorts } = engine.commons
  // docs/reference/limits.md: 1 GiB of all addresses, with 8 KiB for each cohort.
  const most = Math.floor(2 ** 30 / ((8 << 10) + 2))
  state.exec('DELETE FROM cohorts')
  const fill = state.prepare(`WITH RECURSIVE numbers (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
    INSERT INTO cohorts (id, context_sha256, owner, name, name_key, filters, type, release,
      created_at, modified_at, used_at)
    SELECT ?1 || n, ?1, ?1, n, n, '{}', 'dynamic', '', '', '', printf('9999-%06d', n) FROM numbers`)
  const known = state.prepare(
    'SELECT count(*) AS cohorts, min(used_at) AS oldest FROM cohorts WHERE owner = ?',
  )
  const half = Math.floor(most / 2)
  fill.run('first', half + 1)
  fill.run('second', most - half - 1)
  const save = (client: string, name: string) =>
    cohorts.create({ context: cohorts.newContext(), client }, { name, filters: {} })
  await save('late', 'a')
  await save('late', 'b')
  expect(known.get('late')).toMatchObject({ cohorts: 2 })
  const rest = [known.get('first'), known.get('second')]
  expect(rest).toEqual([
    { cohorts: half - 1, oldest: '9999-000003' },
    { cohorts: most - half - 1, oldest: '9999-000001' },
  ])
  state.exec('DELETE FROM cohorts')
})

test('16 tables of sets are under way at the same time; beyond, one is told to come again', async () => {
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
  // Nothing of two was taken, two are read to their end, and two are given up midway.
  const [first, second, third, fourth, fifth, sixth, ...rest] = begun
  for (const unread of [first, second]) await unread?.[Symbol.asyncDispose]()
  for (const read of [third, fourth]) {
    for await (const chunk of read?.body ?? []) expect(chunk.length).toBeGreaterThan(0)
  }
  for (const left of [fifth, sixth]) for await (const _ of left?.body ?? []) break
  const again = await Promise.all([one(), several(), one(), several(), one(), several()])
  await expect(one()).rejects.toMatchObject({ code: 'busy' })
  for (const answer of [...rest, ...again]) await answer[Symbol.asyncDispose]()
  // What is refused gives its place back.
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
