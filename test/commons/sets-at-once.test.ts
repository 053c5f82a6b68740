import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import { EngineError, inlineExecutor } from '../../engine/shared/index.ts'
import { copyMadeRelease } from '../made-release.ts'
import { openEngine } from '../places.ts'

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
  // docs/reference/limits.md: 256 MiB of one client.
  const bytes = (256 << 20) - 500
  state.prepare('UPDATE sets SET bytes = ? WHERE id = ?').run(bytes, large.id)
  const refused = { code: 'too_many', message: expect.stringContaining('of this client') }
  await expect(sets.append(small.id, { filters: genes(0, 60) })).rejects.toMatchObject(refused)
  expect((await sets.get(small.id)).size).toBe(1)
  expect((await sets.append(small.id, { filters: genes(0, 5) })).size).toBe(5)
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => make(genes(0, 20), 'two')),
  )
  expect(codesOf(results)).toEqual(['too_many', 'too_many', 'too_many'])
})
