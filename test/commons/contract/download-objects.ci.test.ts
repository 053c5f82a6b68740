import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import type { App } from '../../../server/http/compose.ts'
import { appOf } from '../search/support/app.ts'
import { membersOf } from './support/archives.ts'
import { idOf, md5Of, recordOf, SURROUNDINGS, someBytes } from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'

// The interface does not show that bytes are in object storage.

const large = { id: idOf(1), name: 'large.bin', bytes: someBytes(20 * 1024 * 1024 + 7, 1) }
const small = { id: idOf(2), name: 'Größe 1.txt', bytes: someBytes(500, 2) }
const files = [large, small]

let s3: S3Server
let world: DownloadWorld
let app: App

beforeAll(async () => {
  s3 = await startS3()
  const records = { ...SURROUNDINGS, files: files.map((file) => recordOf(file)) }
  world = await openWorld(records, { objects: s3.options })
  const from = await mkdtemp(join(tmpdir(), 'casemill-objects-'))
  try {
    const rows = files.map(({ id, name, bytes }) => [
      id,
      name,
      md5Of(bytes),
      bytes.length,
      'released',
    ])
    const table = [['id', 'filename', 'md5', 'size', 'state'], ...rows]
    const manifest = join(from, 'manifest.txt')
    await writeFile(manifest, table.map((row) => `${row.join('\t')}\n`).join(''))
    for (const { id, name, bytes } of files) {
      await mkdir(join(from, id))
      await writeFile(join(from, id, name), bytes)
    }
    expect(await world.engine.commons.importFiles({ manifest, from })).toMatchObject({ stored: 2 })
  } finally {
    await rm(from, { recursive: true })
  }
  app = appOf(world.engine)
})
afterAll(async () => {
  await world.close()
  await s3.stop()
})

const fetched = async (path: string, range?: string) => {
  const answer = await app.request(path, { headers: range === undefined ? {} : { Range: range } })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

test('a file comes whole, with the headers of any other', async () => {
  const { answer, bytes } = await fetched(`/data/${large.id}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-md5')).toBe(md5Of(large.bytes))
  expect(answer.headers.get('content-length')).toBe(String(large.bytes.length))
  expect(md5Of(bytes)).toBe(md5Of(large.bytes))
  expect((await world.engine.shared.files.find(large.id))?.storage).toBe('s3')
})

test('a range is asked of the storage as a range', async () => {
  const before = s3.bytesSent()
  const { answer, bytes } = await fetched(`/data/${large.id}`, 'bytes=12345678-12345777')
  expect(answer.status).toBe(206)
  expect(bytes).toEqual(Buffer.from(large.bytes.subarray(12_345_678, 12_345_778)))
  expect(s3.bytesSent() - before).toBe(100)
})

test('an archive holds the files, and a part of it is that part of the whole', async () => {
  const path = `/data/${small.id},${large.id}?tarfile`
  const { bytes } = await fetched(path)
  const members = await membersOf(bytes)
  expect(members.map(({ name }) => name)).toEqual([
    'MANIFEST.txt',
    `${small.id}/${small.name}`,
    `${large.id}/${large.name}`,
  ])
  expect(members.slice(1).map((member) => md5Of(member.bytes))).toEqual([
    md5Of(small.bytes),
    md5Of(large.bytes),
  ])
  const part = await fetched(path, 'bytes=1000-9000000')
  expect(part.answer.status).toBe(206)
  expect(part.bytes.equals(bytes.subarray(1000, 9_000_001))).toBe(true)
})

test('an object that is gone is an error before the first byte, in the words of the interface', async () => {
  const { intercept } = s3
  s3.intercept = (request, response) => {
    if (!request.url?.includes(small.id)) return intercept(request, response)
    response.writeHead(404).end()
    return true
  }
  try {
    const answer = await app.request(`/data/${small.id}`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('content-md5')).toBeNull()
    expect(Object.keys((await answer.json()) as object)).toEqual(['error', 'message'])
    expect((await fetched(`/data/${large.id}`, 'bytes=0-9')).answer.status).toBe(206)
  } finally {
    s3.intercept = intercept
  }
})
