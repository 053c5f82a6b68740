import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendLake } from '../../../engine/commons/internal.ts'
import { ObjectStore } from '../../../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { copyMadeRelease } from '../../made-release.ts'
import { LakeWorld } from './support/lake-world.ts'

// A bucket receives the files of a lake, commits last, and no file twice.

let world: LakeWorld
let storage: S3Server
beforeAll(async () => {
  world = await LakeWorld.make()
  await copyMadeRelease(world.dataFolder)
  storage = await startS3()
})
afterAll(async () => {
  await storage?.stop()
  await world?.remove()
})

const send = (exported: Awaited<ReturnType<LakeWorld['export']>>, prefix = 'lakes/cohort') =>
  sendLake(exported, { folder: world.folder, objects: storage.options, prefix })

const writtenNames = () =>
  storage.requests
    .filter(({ method }) => method === 'PUT')
    .map(({ url }) => decodeURIComponent(new URL(url, 'http://s').pathname))

test('what the bucket lacks is sent, commits last; other commits are refused', async () => {
  const exported = await world.export()
  storage.requests.length = 0
  expect(await send(exported)).toBeGreaterThan(exported.tables.reduce((sum, t) => sum + t.bytes, 0))
  const names = writtenNames()
  const files = await world.table('files')
  expect(names.filter((name) => name.includes('/lakes/cohort/files/release='))).toHaveLength(
    files.files.length,
  )
  const own = names.filter((name) => name.includes('/lakes/cohort/files/'))
  expect(own.at(-1)).toMatch(/_delta_log\/0{20}\.json$/)
  expect(names).toHaveLength(exported.tables.reduce((sum, t) => sum + t.files + 1, 0))

  storage.requests.length = 0
  expect(await send(exported)).toBe(0)
  expect(writtenNames()).toEqual([])

  const store = new ObjectStore(storage.options)
  for await (const { key } of store.folder('lakes/cohort').list()) {
    expect(key).not.toContain('.export')
  }
  await store.close()

  const log = join(world.folder, 'genes/_delta_log', `${'0'.repeat(20)}.json`)
  await writeFile(log, `${JSON.stringify({ commitInfo: {} })}\n`)
  await expect(send(exported)).rejects.toMatchObject({ code: 'conflict' })
})

test.each(['', '/a', 'a/', '../a', 'releases', 'releases/x', 'a b'])(
  'prefix "%s" is refused',
  async (prefix) => {
    const refused = { code: 'bad_input', message: expect.stringContaining('prefix') }
    await expect(send({ release: 'made', tables: [] }, prefix)).rejects.toMatchObject(refused)
  },
)
