import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSingleCell } from '../../../../fixtures/single-cell.ts'
import { identityOf } from '../../../shared/blobs/identity.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import { OpenGenesFiles } from './open-genes.ts'
import { writeGenes } from './write-genes.ts'

const FILES = 5

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-open-genes-'))
  const path = join(folder, 'made.loom')
  await makeSingleCell({ path, seed: 1, genes: ['a', 'b'], cells: 20 })
  const run = { executor: inlineExecutor, priority: 0, temporaryPath: join(folder, 'sorting') }
  const state = { path, identity: await identity() }
  for (let i = 0; i < FILES; i++) await writeGenes(state, paths(i), run)
})
afterAll(() => rm(folder, { recursive: true }))

const paths = (i: number) => ({
  numbers: join(folder, `${i}.numbers`),
  directory: join(folder, `${i}.directory`),
})
const identity = async () => identityOf(await stat(join(folder, 'made.loom'), { bigint: true }))

/** Returns the names of the files of sorted values that this process has open. */
function openNumbers(): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`)
      return path.startsWith(folder) && path.endsWith('.numbers') ? [path.slice(-9)] : []
    } catch {
      return []
    }
  })
}

test('a few files stay open, the last ones and those in use; closing closes them all', async () => {
  const files = new OpenGenesFiles({ openFiles: 2, bytes: 1 << 20 })
  const used = await files.acquire(paths(0), await identity())
  for (let i = 1; i < FILES; i++) (await files.acquire(paths(i), await identity()))?.release()
  await expect.poll(() => openNumbers().sort()).toEqual(['0.numbers', '4.numbers'])
  used?.release()
  used?.release()
  await files.close()
  expect(openNumbers()).toEqual([])
})

test('files whose directories take too much are closed when they are given back', async () => {
  const files = new OpenGenesFiles({ openFiles: 9, bytes: 1 })
  const leases = [
    await files.acquire(paths(0), await identity()),
    await files.acquire(paths(1), await identity()),
  ]
  expect(openNumbers()).toHaveLength(2)
  for (const lease of leases) lease?.release()
  await expect.poll(openNumbers).toEqual([])
  await files.close()
})

test('of another state of the file, or without one of the two, there is nothing', async () => {
  const files = new OpenGenesFiles()
  const now = await identity()
  expect(await files.acquire(paths(2), { ...now, modified: '1' })).toBeUndefined()
  expect(await files.acquire(paths(FILES), now)).toBeUndefined()
  const mixed = { ...paths(2), numbers: join(folder, 'none') }
  expect(await files.acquire(mixed, now)).toBeUndefined()
  const lease = await files.acquire(paths(2), now)
  expect(lease?.genes.directory.cells).toBe(20)
  // If the file has changed, a lease in use keeps the former file open.
  expect(await files.acquire(paths(2), { ...now, modified: '2' })).toBeUndefined()
  expect(lease?.genes.directory.cells).toBe(20)
  await expect.poll(openNumbers).toEqual(['2.numbers'])
  lease?.release()
  await expect.poll(openNumbers).toEqual([])
  await files.close()
})

test('those that ask at the same time for different states get what there is of theirs', async () => {
  const files = new OpenGenesFiles()
  const now = await identity()
  const states = [{ ...now, modified: '1' }, now, { ...now, modified: '2' }, now]
  const leases = await Promise.all(states.map((state) => files.acquire(paths(4), state)))
  expect(leases.map((lease) => lease !== undefined)).toEqual([false, true, false, true])
  for (const lease of leases) lease?.release()
  await files.close()
  expect(openNumbers()).toEqual([])
})

test('those that ask at the same time share one', async () => {
  const files = new OpenGenesFiles()
  const now = await identity()
  const leases = await Promise.all(Array.from({ length: 8 }, () => files.acquire(paths(3), now)))
  expect(openNumbers()).toEqual(['3.numbers'])
  expect(await files.acquireTrusted(paths(3), 60_000).then((lease) => lease?.release())).toBe(
    undefined,
  )
  expect(await files.acquireTrusted(paths(3), -1)).toBeUndefined()
  for (const lease of leases) lease?.release()
  await files.close()
  expect(openNumbers()).toEqual([])
})
