import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { inlineExecutor, type Job } from '../executor.ts'
import type { WithSource } from './blob.ts'
import { ObjectStore } from './object-store.ts'
import { PAGE_BYTES, PageMemory } from './page-memory.ts'
import { MissingBytes, readFully, readLeast } from './source.ts'
import { madeBytes } from './support/made-bytes.ts'
import { type S3Server, startS3 } from './support/s3-server.ts'
import { partBytesOf } from './upload.ts'

const MIB = 1 << 20
const key = { id: '0b7c9d1e-4f3a-4c55-9a10-0123456789ab', name: 'a b.bam' }

let folder = ''
let s3: S3Server
let store: ObjectStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-objects-'))
  s3 = await startS3()
  store = new ObjectStore(s3.options)
})
afterEach(() => {
  s3.intercept = () => false
  s3.requests.length = 0
})
afterAll(async () => {
  await store?.close()
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function put(bytes: Uint8Array, to: ObjectStore = store): Promise<void> {
  await to.take(key, await fileOf(bytes))
}

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'given')
  await writeFile(path, bytes)
  return path
}

const methods = () => s3.requests.map(({ method }) => method)
const ranges = () => s3.requests.flatMap(({ range }) => (range === undefined ? [] : [range]))
const isGet = ({ method, headers }: IncomingMessage) => method === 'GET' && 'range' in headers

/** Answers the next `count` reads with `answer`. */
function spoil(
  count: number,
  answer: (response: ServerResponse, request: IncomingMessage) => void,
) {
  let left = count
  s3.intercept = (request, response) => {
    if (!isGet(request) || left === 0) return false
    left--
    answer(response, request)
    return true
  }
}

test('a large file goes in parts, and progress adds up to its size', async () => {
  const bytes = madeBytes(1, 20 * MIB + 5)
  const sent: number[] = []
  await store.take(key, await fileOf(bytes), { onProgress: (more) => sent.push(more) })
  expect(sent).toHaveLength(3)
  expect(sent.reduce((sum, more) => sum + more, 0)).toBe(bytes.length)
  expect(await s3.uploads()).toEqual([])
  const blob = await store.open(key)
  const read = Buffer.alloc(bytes.length)
  await blob.read(read, 0)
  expect(read.equals(bytes)).toBe(true)
  await blob.close()
})

test('parts are large enough for five terabytes in 10,000 of them', () => {
  for (const size of [8 * MIB + 1, 80e9, 200e9, 5 * 2 ** 40]) {
    const part = partBytesOf(size)
    expect(Math.ceil(size / part)).toBeLessThanOrEqual(10_000)
    expect(part).toBeGreaterThanOrEqual(5 * MIB)
    expect(part).toBeLessThanOrEqual(5 * 2 ** 30)
  }
})

test('an upload that is aborted leaves no parts and keeps the file', async () => {
  const path = await fileOf(madeBytes(2, 20 * MIB))
  const stop = new AbortController()
  const taking = store.take({ ...key, name: 'aborted' }, path, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('not wanted any more')),
  })
  await expect(taking).rejects.toThrow('not wanted any more')
  expect(await s3.uploads()).toEqual([])
  expect(await store.identity({ ...key, name: 'aborted' })).toBeUndefined()
  expect(existsSync(path)).toBe(true)
})

test('an upload that fails leaves no parts and keeps the file', async () => {
  const path = await fileOf(madeBytes(2, 20 * MIB))
  s3.intercept = ({ method, url }, response) => {
    if (method !== 'PUT' || !url?.includes('partNumber=2')) return false
    response.writeHead(403).end()
    return true
  }
  await expect(store.take({ ...key, name: 'failed' }, path)).rejects.toMatchObject({
    code: 'unavailable',
    message: `object storage refuses access to bucket ${JSON.stringify(s3.options.bucket)}; check credentials and policy`,
  })
  expect(await s3.uploads()).toEqual([])
  expect(existsSync(path)).toBe(true)
})

test('parts left by an earlier upload of the same object are removed', async () => {
  // Leaves an upload as a killed process does: started, with one part sent.
  let parts = 0
  s3.intercept = ({ method, url, socket }) => {
    const isPart = method === 'PUT' && url?.includes('partNumber=') === true
    if ((isPart && ++parts > 1) || method === 'DELETE') {
      socket.destroy()
      return true
    }
    return false
  }
  await expect(put(madeBytes(3, 20 * MIB))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await s3.uploads()).toHaveLength(1)
  s3.intercept = () => false
  await put(Buffer.from('small'))
  expect(await s3.uploads()).toEqual([])
})

test('a server that cannot list uploads is written to all the same', async () => {
  s3.intercept = ({ method, url }, response) => {
    if (method !== 'GET' || !url?.includes('uploads')) return false
    response.writeHead(501).end()
    return true
  }
  await put(Buffer.from('written'))
  expect(await store.identity(key)).toMatchObject({ size: 7 })
})

test('an object that arrived shorter than it was sent is an error, and the file stays', async () => {
  const path = await fileOf(Buffer.from('longer'))
  s3.intercept = ({ method }, response) => {
    if (method !== 'HEAD') return false
    response.writeHead(200, { 'content-length': '5', etag: '"x"' }).end()
    return true
  }
  await expect(store.take(key, path)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'object storage has 5 of the 6 bytes that were sent',
  })
  expect(existsSync(path)).toBe(true)
})

test('equal bytes have one identity, whenever they were stored', async () => {
  await put(Buffer.from('equal'))
  const first = await store.identity(key)
  await put(Buffer.from('equal'))
  expect(await store.identity(key)).toMatchObject({ size: 5, inode: first?.inode })
  expect(first?.inode).toMatch(/^".+"$/)
})

test('a connection that breaks in the middle is taken up where it broke', async () => {
  const bytes = madeBytes(4, 100_000)
  await put(bytes)
  const blob = await store.open(key)
  spoil(2, (response, { headers }) => {
    const [from = 0] = String(headers.range).replace('bytes=', '').split('-').map(Number)
    response.writeHead(206, {
      'content-length': bytes.length - from,
      'content-range': `bytes ${from}-99999/100000`,
      etag: blob.identity.inode,
    })
    response.write(bytes.subarray(from, from + 30_000), () => response.destroy())
  })
  const read = Buffer.alloc(100_000)
  expect(await blob.read(read, 0)).toBe(100_000)
  expect(read.equals(bytes)).toBe(true)
  expect(ranges()).toEqual(['bytes=0-99999', 'bytes=30000-99999', 'bytes=60000-99999'])
  await blob.close()
})

test('answers that are too short again and again are given up', async () => {
  await put(Buffer.alloc(1000, 7))
  const blob = await store.open(key)
  s3.requests.length = 0
  spoil(100, (response) => {
    const headers = { 'content-range': 'bytes 0-999/1000', etag: blob.identity.inode }
    response.writeHead(206, headers).end()
  })
  await expect(blob.read(Buffer.alloc(1000), 0)).rejects.toMatchObject({
    code: 'unavailable',
    message: `object storage of bucket ${JSON.stringify(s3.options.bucket)} does not answer`,
  })
  expect(s3.requests.length).toBeLessThan(10)
  await blob.close()
})

test('a fault of the server for a moment does not show', async () => {
  await put(Buffer.from('there'))
  const blob = await store.open(key)
  spoil(2, (response) => response.writeHead(503).end())
  const read = Buffer.alloc(5)
  await blob.read(read, 0)
  expect(read.toString()).toBe('there')
  await blob.close()
})

test('an object that was replaced is not taken for the one that was opened', async () => {
  await put(madeBytes(5, 1000))
  const blob = await store.open(key)
  await put(madeBytes(6, 1000))
  const gone = {
    code: 'unavailable',
    message: `object in bucket ${JSON.stringify(s3.options.bucket)} was replaced while it was read`,
  }
  // s3rver ignores conditional headers and answers with the new object.
  await expect(blob.read(Buffer.alloc(10), 0)).rejects.toMatchObject(gone)
  spoil(1, (response, { headers }) => {
    response.writeHead(headers['if-match'] === blob.identity.inode ? 412 : 500).end()
  })
  await expect(blob.read(Buffer.alloc(10), 0)).rejects.toMatchObject(gone)
  await blob.close()
})

test('a server that ignores ranges is not read from', async () => {
  await put(madeBytes(7, 1000))
  const blob = await store.open(key)
  spoil(1, (response) =>
    response.writeHead(200, { etag: blob.identity.inode }).end('x'.repeat(1000)),
  )
  await expect(blob.read(Buffer.alloc(10), 500)).rejects.toMatchObject({
    message: `object storage of bucket ${JSON.stringify(s3.options.bucket)} cannot answer a range`,
  })
  await blob.close()
})

test('reading is stopped by a signal, and no connection stays busy', async () => {
  await put(madeBytes(8, 100_000))
  const blob = await store.open(key)
  const stop = new AbortController()
  spoil(1, (response) => {
    const headers = { 'content-length': '100000', 'content-range': 'bytes 0-99999/100000' }
    response.writeHead(206, { ...headers, etag: blob.identity.inode })
    response.write('x'.repeat(1000), () => stop.abort(new Error('not wanted any more')))
  })
  const { signal } = stop
  await expect(blob.read(Buffer.alloc(100_000), 0, { signal })).rejects.toThrow(
    'not wanted any more',
  )
  await blob.close()
  await store.close()
  await eventually(() => expect(s3.openSockets()).toBe(0))
})

test('errors name the bucket and what to do, and no secret', async () => {
  const refused = new ObjectStore({
    ...s3.options,
    credentials: { accessKeyId: 'NOBODY-KNOWN', secretAccessKey: 'A-SECRET-WORD' },
  })
  const error = await refused.open(key).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'unavailable',
    message: `object storage refuses access to bucket ${JSON.stringify(s3.options.bucket)}; check credentials and policy`,
  })
  const shown = inspect(error, { depth: 9, showHidden: true })
  expect(shown).not.toMatch(/NOBODY|SECRET|authorization|signature/i)
  await refused.close()

  const nowhere = new ObjectStore({ ...s3.options, endpoint: 'http://127.0.0.1:1' })
  await expect(nowhere.open(key)).rejects.toMatchObject({
    code: 'unavailable',
    message: `object storage of bucket ${JSON.stringify(s3.options.bucket)} does not answer`,
  })
  await nowhere.close()
})

test('keys are asked for page by page', async () => {
  const pages = [['a', 'b'], ['c', 'd'], ['e']]
  const asked: (string | null)[] = []
  s3.intercept = ({ url = '' }, response) => {
    const token = new URL(url, 'http://localhost').searchParams.get('continuation-token')
    asked.push(token)
    const page = Number(token ?? 0)
    const isLast = page === pages.length - 1
    const rows = pages[page]?.map((name) => `<Contents><Key>${key.id}/${name}</Key></Contents>`)
    const next = isLast ? '' : `<NextContinuationToken>${page + 1}</NextContinuationToken>`
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(
      `<ListBucketResult>${rows?.join('')}<IsTruncated>${!isLast}</IsTruncated>${next}</ListBucketResult>`,
    )
    return true
  }
  const names = []
  for await (const { name } of store.keys()) names.push(name)
  expect(names).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(asked).toEqual([null, '1', '2'])
})

test('uploads are signed with their checksum, without trailers that old servers refuse', async () => {
  const bytes = madeBytes(18, 1000)
  const sent: IncomingMessage['headers'][] = []
  s3.intercept = ({ method, headers }) => {
    if (method === 'PUT') sent.push(headers)
    return false
  }
  await put(bytes)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  expect(sent).toMatchObject([{ 'x-amz-content-sha256': checksum, 'content-length': '1000' }])
  expect(Object.keys(sent[0] ?? {}).join()).not.toMatch(/trailer|checksum|content-encoding/)
})

test('objects below the prefix that are none of ours are not among the keys', async () => {
  const prefixed = new ObjectStore({ ...s3.options, prefix: '/team/files/' })
  await put(Buffer.from('x'), prefixed)
  const others = new ObjectStore({ ...s3.options, prefix: `team/files/${key.id}` })
  await put(Buffer.from('x'), others)
  const keys = []
  for await (const one of prefixed.keys()) keys.push(one)
  expect(keys).toEqual([key])
  await prefixed.close()
  await others.close()
})

const readJob: Job<WithSource & { readonly places: readonly number[] }, number[]> = {
  name: 'test.read',
  run: ({ source, places }) =>
    places.map((place) => {
      const byte = new Uint8Array(1)
      readFully(source, byte, place)
      return byte[0] ?? -1
    }),
}

const scanJob: Job<WithSource & { readonly from: number; readonly to: number }, number> = {
  name: 'test.scan',
  run({ source, from, to }) {
    const window = new Uint8Array(MIB)
    let sum = 0
    for (let at = from; at < to; ) {
      const got = readLeast(source, window.subarray(0, to - at), at, 65_536)
      for (const byte of window.subarray(0, got)) sum += byte
      at += got
    }
    return sum
  },
}

test('a job is given the pages that it looks at and no others', async () => {
  const bytes = madeBytes(9, 3 * MIB + 77)
  await put(bytes)
  const blob = await store.open(key)
  s3.requests.length = 0
  const places = [0, 5, 2 * MIB, 3 * MIB + 76, 100]
  const values = await blob.run(inlineExecutor, readJob, { places })
  expect(values).toEqual(places.map((place) => bytes[place]))
  expect(ranges()).toEqual(['bytes=0-262143', 'bytes=2097152-2359295', 'bytes=3145728-3145804'])
  // The pages are still in the cache.
  await blob.run(inlineExecutor, readJob, { places })
  expect(s3.requests).toHaveLength(3)
  await blob.close()
})

test('sequential reads of a job use growing requests, each byte once', async () => {
  const bytes = madeBytes(10, 20 * MIB)
  await put(bytes)
  const blob = await store.open(key)
  s3.requests.length = 0
  const sum = await blob.run(inlineExecutor, scanJob, { from: 0, to: bytes.length })
  expect(sum).toBe(bytes.reduce((all, byte) => all + byte, 0))
  const lengths = ranges().map((range) => {
    const [from = 0, to = 0] = range.replace('bytes=', '').split('-').map(Number)
    return to - from + 1
  })
  expect(lengths.reduce((all, length) => all + length, 0)).toBe(bytes.length)
  expect(lengths.length).toBeLessThan(30)
  await blob.close()
})

test('bytes that a job will read are loaded before it runs', async () => {
  await put(madeBytes(11, 3 * MIB))
  const blob = await store.open(key)
  s3.requests.length = 0
  let runs = 0
  const counted: typeof scanJob = {
    ...scanJob,
    run(...given) {
      runs++
      return scanJob.run(...given)
    },
  }
  const reads = { start: MIB, end: 2 * MIB }
  await blob.run(inlineExecutor, counted, { from: MIB, to: 2 * MIB }, { reads })
  expect(runs).toBe(1)
  expect(ranges()).toEqual(['bytes=1048576-2097151'])
  await blob.close()
})

test('jobs that want the same page share one request', async () => {
  await put(madeBytes(12, MIB))
  const blob = await store.open(key)
  s3.requests.length = 0
  const all = Array.from({ length: 10 }, () =>
    blob.run(inlineExecutor, readJob, { places: [10, 300_000] }),
  )
  await Promise.all(all)
  expect(s3.requests).toHaveLength(2)
  await blob.close()
})

test('a job that gives up does not take the page from another', async () => {
  await put(madeBytes(13, MIB))
  const blob = await store.open(key)
  const stop = new AbortController()
  const { signal } = stop
  const given = blob.run(inlineExecutor, readJob, { places: [10] }, { signal })
  const other = blob.run(inlineExecutor, readJob, { places: [11] })
  stop.abort(new Error('not wanted any more'))
  await expect(given).rejects.toThrow('not wanted any more')
  expect(await other).toEqual([madeBytes(13, MIB)[11]])
  await blob.close()
})

test('a job that needs too much, or never has enough, is refused', async () => {
  const limits = { perObject: 4 * PAGE_BYTES, total: 8 * PAGE_BYTES, perJob: 4 * PAGE_BYTES }
  const small = new ObjectStore(s3.options, new PageMemory(limits))
  await put(madeBytes(14, 2 * MIB), small)
  const blob = await small.open(key)
  const all = { from: 0, to: 2 * MIB }
  await expect(blob.run(inlineExecutor, scanJob, all)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'job needs too much of an object in object storage',
  })
  const never: typeof readJob = {
    name: 'test.never',
    run() {
      throw new MissingBytes(0, 1)
    },
  }
  await expect(blob.run(inlineExecutor, never, { places: [] })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'job needs too many parts of an object in object storage',
  })
  await blob.close()
  await small.close()
})

test('pages of all objects together take no more than they may', async () => {
  const limits = { perObject: 4 * PAGE_BYTES, total: 6 * PAGE_BYTES, perJob: 16 * PAGE_BYTES }
  const memory = new PageMemory(limits)
  const small = new ObjectStore(s3.options, memory)
  await put(madeBytes(15, 3 * MIB), small)
  const blobs = [await small.open(key), await small.open(key), await small.open(key)]
  const all = { from: 0, to: 3 * MIB }
  const expected = madeBytes(15, 3 * MIB).reduce((sum, byte) => sum + byte, 0)
  for (const blob of blobs) {
    expect(await blob.run(inlineExecutor, scanJob, all)).toBe(expected)
    expect(memory.bytes).toBeLessThanOrEqual(limits.total)
  }
  expect(memory.bytes).toBeGreaterThan(0)
  for (const blob of blobs) await blob.close()
  expect(memory.bytes).toBe(0)
  await small.close()
})

test('a server that dies is an error soon, for reads and for jobs', async () => {
  const dying = await startS3()
  const its = new ObjectStore(dying.options)
  await put(madeBytes(16, MIB), its)
  const blob = await its.open(key)
  await dying.kill()
  const lost = { code: 'unavailable' }
  await expect(blob.read(Buffer.alloc(10), 0)).rejects.toMatchObject(lost)
  await expect(blob.run(inlineExecutor, readJob, { places: [0] })).rejects.toMatchObject(lost)
  await blob.close()
  await its.close()
  await dying.stop()
})

test('reads need ranges and openings no more than a look', async () => {
  await put(madeBytes(17, MIB))
  s3.requests.length = 0
  const blob = await store.open(key)
  await blob.read(Buffer.alloc(10), 20)
  await blob.close()
  expect(methods()).toEqual(['HEAD', 'GET'])
  expect(ranges()).toEqual(['bytes=20-29'])
})
