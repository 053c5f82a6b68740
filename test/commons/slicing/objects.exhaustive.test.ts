import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../../engine/commons/slicing/build-directory.ts'
import { saveDirectory } from '../../../engine/commons/slicing/directory.ts'
import { makeStoredDirectory } from '../../../engine/commons/slicing/make-directory.ts'
import { DIRECTORY_NAME, storedAlignment } from '../../../engine/commons/slicing/stored.ts'
import { openEngine } from '../../../engine/engine.ts'
import { blobKey } from '../../../engine/shared/blobs/blob-key.ts'
import { BlobStores } from '../../../engine/shared/blobs/blob-stores.ts'
import { FolderStore } from '../../../engine/shared/blobs/folder-store.ts'
import { ObjectStore } from '../../../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import type { StoredFile } from '../../../engine/shared/catalogue/files.ts'
import type { EngineError } from '../../../engine/shared/errors.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { eventually } from '../../eventually.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, MARKER, readBam, type StrictBam, splitBlocks } from './support/strict-bam.ts'

// A BAM file in object storage gives the same slices as one on disk, using range reads only.

const FILE_BYTES = 12e6
const SEED = 91
const NAME = 'reads of a tumour.bam'

const stored = (id: string, hasIndex = true): StoredFile => ({
  id,
  fileName: NAME,
  size: 0,
  md5: '0'.repeat(32),
  dataFormat: 'BAM',
  access: 'open',
  acl: [],
  partOf: null,
  indexName: hasIndex ? `${NAME}.bai` : null,
  storage: 's3',
  linkedModified: null,
  createdAt: '2026-01-01T00:00:00Z',
})

const WITH_DIRECTORY = stored('00000000-0000-4000-8000-000000000001')
const WITH_INDEX = stored('00000000-0000-4000-8000-000000000002')
const ALONE = stored('00000000-0000-4000-8000-000000000003', false)

let folder = ''
let path = ''
let other = ''
let bam: StrictBam
let s3: S3Server
let objects: ObjectStore
let pool: ThreadPool
let homes = 0

/** A new data folder, like that of another machine. */
const home = (store = objects) =>
  new BlobStores(new FolderStore(join(folder, `home-${homes++}`)), store)

async function put(file: StoredFile, from: string, store = objects): Promise<void> {
  const given = join(folder, 'given')
  const { id, fileName, indexName } = file
  await copyFile(from, given)
  await store.take(blobKey(id, fileName), given)
  if (indexName === null) return
  await copyFile(`${from}.bai`, given)
  await store.take(blobKey(id, indexName), given)
}

async function putDirectory(file: StoredFile, store = objects): Promise<void> {
  const { blob, header, identity } = await openAlignment(
    storedAlignment(home(store), file),
    inlineExecutor,
  )
  const given = join(folder, 'directory')
  await saveDirectory(given, await buildDirectory(blob, header, inlineExecutor), identity)
  await blob.close()
  await store.take(blobKey(file.id, DIRECTORY_NAME), given)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-objects-'))
  s3 = await startS3()
  objects = new ObjectStore(s3.options)
  pool = new ThreadPool({ threads: 2 })
  path = join(folder, 'local.bam')
  other = join(folder, 'other.bam')
  await makeBam({ path, seed: SEED, style: 'htslib', scale: FILE_BYTES })
  await makeBam({ path: other, seed: SEED + 1, style: 'htslib', scale: 2e6 })
  await makeDirectory(path, `${path}.directory`)
  bam = readBam(inflateAll(await readFile(path)))
  await put(WITH_DIRECTORY, path)
  await putDirectory(WITH_DIRECTORY)
  await put(WITH_INDEX, path)
  await put(ALONE, path)
})

afterEach(() => {
  s3.intercept = () => false
})

afterAll(async () => {
  await pool?.close()
  await objects?.close()
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

const whole = (): SliceRequest => ({
  intervals: bam.references.map(({ name }) => ({ reference: name, start: 0, end: Infinity })),
  unplaced: true,
})

/** A slice of more than half of the file. */
const firstReference = (): SliceRequest => ({
  intervals: [{ reference: bam.references[0]!.name, start: 0, end: Infinity }],
  unplaced: false,
})

/** A few kilobases around the middle of all records. */
function smallRegion(): SliceRequest {
  const { reference, start } = bam.records[bam.records.length >> 1]!
  const { name } = bam.references[reference]!
  return {
    intervals: [{ reference: name, start, end: start + 2000 }],
    unplaced: false,
  }
}

const readsOfBam = () => s3.requests.filter(({ method, url }) => method === 'GET' && isBam(url))
/** Infinite if a request has no range. */
const bytesReadOfBam = () =>
  readsOfBam().reduce((sum, { range = 'bytes=0-Infinity' }) => {
    const [from = 0, to = 0] = range.replace('bytes=', '').split('-').map(Number)
    return sum + to - from + 1
  }, 0)
const rangeStart = (range = 'bytes=0-') => Number(range.replace('bytes=', '').split('-')[0])
const isBam = (url: string) => url.split('?')[0]!.endsWith('.bam')

/** Expects whole, valid blocks that are the start of the right slice, without an end marker. */
async function expectPrefix(bytes: Buffer, request: SliceRequest): Promise<void> {
  expect(bytes.subarray(-MARKER.length).equals(MARKER)).toBe(false)
  const local = new FileSlicer({ path, indexPath: `${path}.bai` })
  const complete = inflateAll(await local.bytes(request))
  await local.close()
  const inflated = Buffer.concat(splitBlocks(bytes).map(({ content }) => content))
  expect(inflated.length).toBeGreaterThan(0)
  expect(inflated.length).toBeLessThan(complete.length)
  expect(inflated.equals(complete.subarray(0, inflated.length))).toBe(true)
}

describe.each([
  ['a directory', WITH_DIRECTORY, () => ({ path, directoryPath: `${path}.directory` })],
  ['an index only', WITH_INDEX, () => ({ path, indexPath: `${path}.bai` })],
] as const)('with %s', (_, file, paths) => {
  test('slices of any regions are byte for byte those of the file on the disk', async () => {
    const local = new FileSlicer(paths(), pool)
    const remote = new FileSlicer(storedAlignment(home(), file), pool)
    const inline = new FileSlicer(storedAlignment(home(), file))
    for (const [i, request] of drawRequests(bam, SEED, 60).entries()) {
      const expected = await local.bytes(request)
      expect((await remote.bytes(request)).equals(expected)).toBe(true)
      if (i % 6 === 0) expect((await inline.bytes(request)).equals(expected)).toBe(true)
    }
    for (const slicer of [local, remote, inline]) await slicer.close()
  })

  test('so are the header alone, the unmapped reads and everything', async () => {
    const local = new FileSlicer(paths(), pool)
    const remote = new FileSlicer(storedAlignment(home(), file), pool)
    for (const request of [
      { intervals: [], unplaced: false },
      { intervals: [], unplaced: true },
      whole(),
    ]) {
      expect((await remote.bytes(request)).equals(await local.bytes(request))).toBe(true)
    }
    for (const slicer of [local, remote]) await slicer.close()
  })

  test('a small region takes a few ranges and little of the file', async () => {
    const remote = new FileSlicer(storedAlignment(home(), file), pool)
    const { size } = await stat(path)
    s3.requests.length = 0
    await remote.bytes(smallRegion())
    expect(readsOfBam().length).toBeLessThan(10)
    expect(bytesReadOfBam()).toBeLessThan(size / 10)
    // This time header, index and edge pages are cached, so only the copied blocks are requested.
    s3.requests.length = 0
    const slice = await remote.bytes(smallRegion())
    expect(s3.requests).toEqual(readsOfBam())
    expect(bytesReadOfBam()).toBeLessThanOrEqual(slice.length)
    await remote.close()
  })

  test('a server that dies in the middle breaks the slice off after a good prefix', async () => {
    const dying = await startS3()
    const store = new ObjectStore(dying.options)
    await put(file, path, store)
    if (file === WITH_DIRECTORY) await putDirectory(file, store)
    const remote = new FileSlicer(storedAlignment(home(store), file), pool)
    await remote.bytes(firstReference())
    // Requests far into the file are never answered.
    dying.intercept = ({ headers }) => rangeStart(headers.range) > FILE_BYTES / 3
    const onChunk = (chunks: number) => (chunks === 2 ? dying.kill() : undefined)
    const { bytes, error, early } = await remote.slice(firstReference(), { onChunk })
    expect([(error as EngineError).code, early]).toEqual(['unavailable', false])
    await expectPrefix(bytes, firstReference())
    await remote.close()
    await store.close()
    await dying.stop()
  })

  test.each([404, 412, 403])('so does an object that answers %d from then on', async (status) => {
    const remote = new FileSlicer(storedAlignment(home(), file), pool)
    await remote.bytes(firstReference())
    s3.intercept = ({ headers }, response) => {
      if (rangeStart(headers.range) < FILE_BYTES / 3) return false
      response.writeHead(status).end()
      return true
    }
    const { bytes, error, early } = await remote.slice(firstReference())
    expect([(error as EngineError).code, early]).toEqual(['unavailable', false])
    await expectPrefix(bytes, firstReference())
    await remote.close()
  })

  test('a slice that is cancelled leaves nothing open', async () => {
    const store = new ObjectStore(s3.options)
    const remote = new FileSlicer(storedAlignment(home(store), file), pool)
    for (const chunks of [1, 2, 5]) {
      const stop = new AbortController()
      const onChunk = (count: number) => {
        if (count === chunks) stop.abort(new Error('client left'))
      }
      const { error } = await remote.slice(whole(), { signal: stop.signal, onChunk })
      expect(String(error)).toMatch('client left')
    }
    expect(remote.load().activeSlices).toBe(0)
    await remote.close()
    expect(remote.load().openFiles).toBe(0)
    await store.close()
    await objects.close()
    await eventually(() => expect(s3.openSockets()).toBe(0))
  })
})

test('without directory and index there are no slices', async () => {
  const remote = new FileSlicer(storedAlignment(home(), ALONE))
  const { error, early } = await remote.slice(smallRegion())
  expect([(error as EngineError).code, early]).toEqual(['no_index', true])
  await remote.close()
})

test('an index that is on record and not in the bucket is none', async () => {
  const remote = new FileSlicer(storedAlignment(home(), { ...ALONE, indexName: 'lost.bai' }))
  const { error, early } = await remote.slice(smallRegion())
  expect([(error as EngineError).code, early]).toEqual(['no_index', true])
  await remote.close()
})

test('a file in object storage is told from a missing setting', async () => {
  const without = new BlobStores(new FolderStore(join(folder, 'without')))
  const remote = new FileSlicer(storedAlignment(without, WITH_INDEX))
  const { error } = await remote.slice(smallRegion())
  expect((error as EngineError).message).toMatch('set CASEMILL_S3_BUCKET')
  await remote.close()
})

test('index and directory are fetched once and kept for the next process', async () => {
  for (const file of [WITH_DIRECTORY, WITH_INDEX]) {
    const blobs = home()
    const first = new FileSlicer(storedAlignment(blobs, file))
    const expected = await first.bytes(smallRegion())
    await first.close()
    s3.requests.length = 0
    const second = new FileSlicer(storedAlignment(blobs, file))
    expect((await second.bytes(smallRegion())).equals(expected)).toBe(true)
    await second.close()
    const fetched = s3.requests.filter(({ method, url }) => method === 'GET' && !isBam(url))
    expect(fetched).toEqual([])
  }
})

test('a file in use is not asked for its identity with every slice', async () => {
  const remote = new FileSlicer(storedAlignment(home(), WITH_DIRECTORY))
  await remote.bytes(smallRegion())
  s3.requests.length = 0
  for (let i = 0; i < 5; i++) await remote.bytes(smallRegion())
  expect(s3.requests.filter(({ method }) => method === 'HEAD')).toEqual([])
  await remote.close()
})

test('after half a minute a file is asked for its identity again', async () => {
  const file = stored('00000000-0000-4000-8000-000000000005')
  await put(file, path)
  const remote = new FileSlicer(storedAlignment(home(), file), pool)
  const before = await remote.bytes(smallRegion())
  const started = performance.now()
  const now = vi.spyOn(performance, 'now').mockImplementation(() => started + 31_000)
  try {
    s3.requests.length = 0
    expect((await remote.bytes(smallRegion())).equals(before)).toBe(true)
    expect(s3.requests.filter(({ method }) => method === 'HEAD')).toHaveLength(1)
    now.mockImplementation(() => started + 62_000)
    await put(file, other)
    const local = new FileSlicer({ path: other, indexPath: `${other}.bai` }, pool)
    expect((await remote.bytes(whole())).equals(await local.bytes(whole()))).toBe(true)
    await local.close()
  } finally {
    now.mockRestore()
  }
  await remote.close()
})

test('an import puts a file into object storage, and it is sliced from there', async () => {
  const dataFolder = join(folder, 'data')
  const engine = await openEngine({
    dataFolder,
    executor: pool,
    objects: { ...s3.options, prefix: 'data' },
  })
  const { file } = await engine.commons.importBam({ path, access: 'open' })
  expect(file.storage).toBe('s3')
  expect(existsSync(join(dataFolder, 'files', file.id, file.fileName))).toBe(false)
  const stored = await engine.commons.slicing.open(file.id, undefined)
  const slice = await stored.slice({ regions: ['chr1'], genes: [] })
  const parts: Buffer[] = []
  for await (const chunk of slice.body) parts.push(Buffer.from(chunk))
  await slice[Symbol.asyncDispose]()
  const local = new FileSlicer({ path, directoryPath: `${path}.directory` }, pool)
  expect(Buffer.concat(parts).equals(await local.bytes(firstReference()))).toBe(true)
  await local.close()
  await engine.close()
})

test('an object that was replaced is noticed, and then served as what it is', async () => {
  const file = stored('00000000-0000-4000-8000-000000000004')
  await put(file, path)
  const remote = new FileSlicer(storedAlignment(home(), file), pool)
  await remote.bytes(smallRegion())
  await put(file, other)
  const { error } = await remote.slice(whole())
  expect((error as EngineError).code).toBe('unavailable')
  const local = new FileSlicer({ path: other, indexPath: `${other}.bai` }, pool)
  expect((await remote.bytes(whole())).equals(await local.bytes(whole()))).toBe(true)
  await remote.close()
  await local.close()
})

test('a directory that is made afterwards is there for all who share the bucket', async () => {
  const file = { ...WITH_INDEX, id: randomUUID() }
  await put(file, path)
  s3.requests.length = 0
  await makeStoredDirectory(file, { blobs: home(), executor: pool })
  // Each byte is read once, except pages that are requested again after the header.
  expect(bytesReadOfBam()).toBeLessThan(1.1 * (await stat(path)).size)

  const parts = storedAlignment(home(), file)
  // From then on, slices of the file need no index.
  const { indexPath: _, ...unindexed } = parts
  const remote = new FileSlicer(unindexed, pool)
  const local = new FileSlicer({ path, directoryPath: `${path}.directory` }, pool)
  for (const request of drawRequests(bam, SEED + 1, 10)) {
    expect((await remote.bytes(request)).equals(await local.bytes(request))).toBe(true)
  }
  await remote.close()
  await local.close()
})

test('a directory holds for the same bytes that were stored again', async () => {
  await put({ ...WITH_DIRECTORY, indexName: null }, path)
  const remote = new FileSlicer(storedAlignment(home(), { ...WITH_DIRECTORY, indexName: null }))
  expect((await remote.bytes(smallRegion())).length).toBeGreaterThan(0)
  await remote.close()
})
