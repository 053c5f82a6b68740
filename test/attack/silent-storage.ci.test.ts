import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../engine/index.ts'
import { blobKey } from '../../engine/shared/blobs/blob-key.ts'
import { ObjectStore } from '../../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import type { App } from '../../server/http/compose.ts'
import {
  idOf,
  md5Of,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { appOf } from '../commons/search/support/app.ts'

// Object storage that accepts a connection and sends nothing, or stops in the middle of an answer.

/**
 * The limits for requests that fail anyway, in milliseconds; on a busy machine they would be too short for
 * others.
 */
const SHORT = { connect: 300, silence: 300, request: 700, write: 900 }

const large = { id: idOf(1), name: 'large.bin', bytes: someBytes(3_000_007, 1) }
const small = { id: idOf(2), name: 'small.txt', bytes: someBytes(500, 2) }
const files = [large, small]
const ALIGNMENTS = idOf(3)

let folder = ''
let s3: S3Server
let world: DownloadWorld
let engine: Engine
let app: App

/** Stores files as an import does. */
async function store(into: Engine, some: readonly RetainedFile[]) {
  const from = await mkdtemp(join(folder, 'import-'))
  const rows = some.map(({ id, name, bytes }) =>
    [id, name, md5Of(bytes), bytes.length, 'released'].join('\t'),
  )
  const manifest = join(from, 'manifest.txt')
  await writeFile(manifest, `id\tfilename\tmd5\tsize\tstate\n${rows.join('\n')}\n`)
  for (const { id, name, bytes } of some) {
    await mkdir(join(from, id))
    await writeFile(join(from, id, name), bytes)
  }
  return into.commons.importFiles({ manifest, from })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-silent-'))
  s3 = await startS3()
  const path = join(folder, 'reads.bam')
  await makeBam({ path, scale: 1e5, style: 'htslib', seed: 1 })
  const bam = { id: ALIGNMENTS, name: 'reads.bam', bytes: await readFile(path) }
  const kept = [...files.map((one) => recordOf(one)), recordOf(bam, { data_format: 'BAM' })]
  world = await openWorld({ ...SURROUNDINGS, files: kept }, { objects: s3.options })
  await store(world.engine, files)
  await world.engine.commons.importBam({ path, id: ALIGNMENTS, access: 'open' })
  // The same folder, with shorter time limits.
  engine = await openEngine({
    dataFolder: world.folder,
    executor: inlineExecutor,
    objects: { ...s3.options, times: SHORT },
    dependencyTimes: { keep: 3_600_000, answer: 1000 },
  })
  await engine.start()
  app = appOf(engine)
})
afterEach(() => {
  s3.intercept = () => false
  s3.requests.length = 0
})
afterAll(async () => {
  await engine?.close()
  await world?.close()
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

type Matches = (request: IncomingMessage) => boolean
const everything: Matches = () => true
const isRead: Matches = ({ method, headers }) => method === 'GET' && 'range' in headers

/** Makes the storage ignore some requests, or all by default. */
function beSilent(matches = everything): void {
  s3.intercept = (request) => matches(request)
}

/** Makes the next `times` reads stop after half of their bytes. */
function stopInTheMidst(times = Number.POSITIVE_INFINITY, { bytes } = large): void {
  let left = times
  s3.intercept = (request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    if (!isRead(request) || from === undefined || left === 0) return false
    left--
    const [start, end] = [Number(from), Number(to) + 1]
    begin(response, start, end, bytes)
    response.write(bytes.subarray(start, start + Math.floor((end - start) / 2)))
    return true
  }
}

function begin(response: ServerResponse, start: number, end: number, bytes: Buffer): void {
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
    'content-length': end - start,
  })
}

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await app.request(path, { headers })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Expects an answer which says that the storage is unavailable, and when to try again. */
function expectAway({ answer, bytes }: Awaited<ReturnType<typeof ask>>): void {
  expect({ status: answer.status, text: String(bytes) }).toMatchObject({ status: 503 })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(String(bytes)).not.toMatch(/S3RVER|127\.0\.0\.1/)
}

const READS = [
  `/data/${large.id}`,
  `/data/${small.id}`,
  `/data/${large.id},${small.id}?tarfile`,
  `/slicing/view/${ALIGNMENTS}?region=chr17`,
]

test('storage that says nothing is answered for, however many ask', async () => {
  const patient = appOf(world.engine)
  for (const path of READS) expect((await patient.request(path)).ok).toBe(true)
  beSilent()
  // These are more requests than there are connections to the storage.
  const many = Array.from({ length: 25 }, () => READS).flat()
  const answers = many.map((path) => ask(path))
  expect((await ask('/files?size=3')).answer.status).toBe(200)
  for (const one of await Promise.all(answers)) expectAway(one)
})

test('an answer that stops in its midst is taken up where it stopped', async () => {
  stopInTheMidst(1)
  const times = { silence: 300 }
  const store = new ObjectStore({ ...s3.options, times })
  const blob = await store.open(blobKey(large.id, large.name))
  const into = Buffer.alloc(large.bytes.length)
  expect(await blob.read(into, 0)).toBe(into.length)
  expect(md5Of(into)).toBe(md5Of(large.bytes))
  await blob.close()
  await store.close()
})

test('answers that stop in their midst again and again are given up', async () => {
  stopInTheMidst()
  expectAway(await ask(`/data/${large.id}`))
  expect(s3.requests.filter(({ range }) => range !== undefined).length).toBeLessThan(5)
})

test('bytes that come one at a time are given up', async () => {
  const drips: NodeJS.Timeout[] = []
  s3.intercept = (request, response) => {
    if (!isRead(request)) return false
    begin(response, 0, small.bytes.length, small.bytes)
    let at = 0
    drips.push(setInterval(() => response.write(small.bytes.subarray(at, ++at)), 50))
    return true
  }
  try {
    expectAway(await ask(`/data/${small.id}`))
  } finally {
    for (const drip of drips) clearInterval(drip)
  }
})

test('an import is reported, and stores the file when the storage is back', async () => {
  const file = { id: idOf(10), name: 'new.txt', bytes: someBytes(700, 3) }
  for (const matches of [everything, ({ method }: IncomingMessage) => method === 'PUT']) {
    beSilent(matches)
    await expect(store(engine, [file])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await engine.shared.files.find(file.id)).toBeUndefined()
  }
  s3.intercept = () => false
  expect(await store(world.engine, [file])).toMatchObject({ stored: 1 })
})

test.each([
  ['a part', ({ url }: IncomingMessage) => url?.includes('partNumber=2') === true],
  ['their putting together', ({ method }: IncomingMessage) => method === 'POST'],
])('a file in parts stays where it was when %s is not answered', async (_, matches) => {
  const store = new ObjectStore({ ...s3.options, times: { write: SHORT.write } })
  const path = join(folder, 'parts.bin')
  await writeFile(path, Buffer.alloc(9 << 20))
  beSilent((request) => matches(request) && request.url?.includes('uploads') !== true)
  const key = blobKey(idOf(11), 'parts.bin')
  await expect(store.take(key, path)).rejects.toMatchObject({ code: 'unavailable' })
  expect(existsSync(path)).toBe(true)
  s3.intercept = () => false
  expect(await store.identity(key)).toBeUndefined()
  expect(await s3.uploads()).toEqual([])
  await store.close()
})

test('a removal is reported', async () => {
  const key = blobKey(small.id, small.name)
  beSilent(({ method }) => method === 'DELETE')
  await expect(engine.shared.blobs.of('s3').remove(key)).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(await engine.shared.blobs.of('s3').identity(key)).toBeDefined()
})

test('whoever asks how it is, the storage is asked once in a while, and not named', async () => {
  beSilent()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => ask(i % 5 === 0 ? '/metrics' : '/health/dependencies')),
  )
  const asked = s3.requests.length
  for (const { answer, bytes } of answers) {
    expect(answer.status).toBe(200)
    expect(String(bytes)).not.toMatch(/S3RVER|127\.0\.0\.1|casemill-test|casemill-silent/)
  }
  const [metrics, told] = answers.map(({ bytes }) => String(bytes))
  expect(metrics).toContain('casemill_dependency_away{dependency="object_storage"} 1')
  expect(JSON.parse(told ?? '')).toMatchObject({
    status: 'impaired',
    dependencies: {
      database: { kind: 'embedded', state: 'available' },
      object_storage: { state: 'away' },
      disk: { state: 'available', free_bytes: expect.any(Number) },
    },
  })
  // The storage's client library makes all these tries for one check.
  expect(asked).toBeLessThanOrEqual(3)
  expect((await ask('/health/ready')).answer.status).toBe(200)
})
