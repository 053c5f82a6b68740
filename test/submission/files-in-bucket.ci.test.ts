import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { depth } from '../depth.ts'
import { BucketBed, bodyWith, fileAt, slowBody } from './support/bucket-bed.ts'
import { md5Of, someBytes } from './support/file-service.ts'

// Uploads stored in a bucket: servers with separate folders, one database and one bucket.

const MIB = 1 << 20
const SMALL = someBytes(100_000)
/** A size above 8 MiB, the limit of one request. */
const LARGE_BYTES = depth(10, 17) * MIB
const LARGE = someBytes(LARGE_BYTES)
const DAY = 86_400_000
const START = Date.parse('2026-05-01T00:00:00Z')

let s3: S3Server
let bed: BucketBed
beforeAll(async () => {
  s3 = await startS3()
  bed = await BucketBed.open({ ...s3.options, prefix: 'cohort' })
})
afterEach(async () => {
  s3.intercept = () => false
  await bed.end()
})
afterAll(async () => {
  await bed?.close()
  await s3?.stop()
})

/** The contents of the bucket of uploads, and the database's records of them. */
async function left() {
  const objects = (await s3.keys()).filter((key) => key.startsWith('cohort/uploads'))
  return { objects, uploads: await s3.uploads(), known: await bed.known() }
}
const NOTHING = { objects: [], uploads: [], known: [] }

test.each([
  { what: 'large', sizes: [6 * MIB, 7 * MIB, 17] },
  { what: 'small', sizes: [10, 1000, 3 * MIB, 5] },
  { what: 'beyond one request', sizes: [LARGE_BYTES, 9 * MIB] },
])('each server takes parts, and any completes: $what', async ({ sizes }) => {
  const [one, other, third] = [
    await bed.service('a'),
    await bed.service('b'),
    await bed.service('c'),
  ]
  const bytes = someBytes(sizes.reduce((sum, size) => sum + size, 0))
  const id = await bed.add(bytes)
  const there = { ...fileAt(id), uploadId: await one.initiate(fileAt(id)) }
  const listed: { number: number; etag: string }[] = []
  let start = 0
  for (const [i, size] of sizes.entries()) {
    const part = bytes.subarray(start, start + size)
    const taker = i % 2 === 0 ? one : other
    const etag = await taker.putPart({ ...there, partNumber: i + 1 }, bodyWith(part))
    expect(etag).toBe(md5Of(part))
    listed.push({ number: i + 1, etag })
    start += size
  }
  expect(await third.parts(there)).toHaveLength(sizes.length)
  await third.complete({ ...there, listed })
  await bed.idle()
  expect(await bed.stateOf(id)).toBe('validated')
  expect(md5Of(await bed.stored(id))).toBe(md5Of(bytes))
  expect(await bed.catalogue.find(id)).toMatchObject({ storage: 's3', size: bytes.length })
  expect(await left()).toEqual(NOTHING)
  for (const folder of ['a', 'b', 'c']) {
    expect(readdirSync(join(bed.root, folder, 'uploads'))).toEqual(['place'])
  }
})

test.each([{ bytes: Buffer.alloc(0) }, { bytes: SMALL }, { bytes: LARGE }])(
  'a body in one piece is stored when it is right: $bytes.length bytes',
  async ({ bytes }) => {
    const files = await bed.service('a')
    const id = await bed.add(bytes)
    await files.upload(fileAt(id), { ...bodyWith(bytes), announced: bytes.length })
    await files.idle()
    expect(await bed.stateOf(id)).toBe('validated')
    expect(md5Of(await bed.stored(id))).toBe(md5Of(bytes))
    expect(await left()).toEqual(NOTHING)
  },
)

test('bytes that differ from their record are not stored, and nothing of them stays', async () => {
  const files = await bed.service('a')
  const [whole, parts] = [
    await bed.add(LARGE, { md5: md5Of(SMALL) }),
    await bed.add(LARGE.subarray(1)),
  ]
  await files.upload(fileAt(whole), bodyWith(LARGE))
  const there = { ...fileAt(parts), uploadId: await files.initiate(fileAt(parts)) }
  const etag = await files.putPart({ ...there, partNumber: 3 }, bodyWith(LARGE))
  await files.complete({ ...there, listed: [{ number: 3, etag }] })
  await files.idle()
  expect(await bed.stateOf(whole)).toBe('error: md5sum')
  expect(await bed.stateOf(parts)).toBe('error: file_size')
  expect((await s3.keys()).filter((key) => key.includes(whole) || key.includes(parts))).toEqual([])
  expect(await left()).toEqual(NOTHING)
})

test('bytes that changed in the bucket are found', async () => {
  const files = await bed.service('a')
  const id = await bed.add(Buffer.concat([SMALL, SMALL]))
  const there = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)) }
  const etag = await files.putPart({ ...there, partNumber: 1 }, bodyWith(SMALL))
  await files.putPart({ ...there, partNumber: 2 }, bodyWith(SMALL))
  const key = (await left()).objects.find((name) => name.includes(there.uploadId)) ?? ''
  await bed.bucket.client.put(key, someBytes(SMALL.length, 9))
  const errors: unknown[] = []
  const checking = await bed.service('b', { onError: (error) => errors.push(error) })
  await checking.complete({ ...there, listed: [1, 2].map((number) => ({ number, etag })) })
  await bed.idle()
  expect(await bed.stateOf(id)).toBe('validating')
  expect(await bed.catalogue.find(id)).toBeUndefined()
  await files.remove(fileAt(id))
  await files.idle()
  expect(await left()).toEqual(NOTHING)
})

test('the last of one number counts, what is not listed goes, and so does what is aborted', async () => {
  const [files, other] = [await bed.service('a'), await bed.service('b')]
  const id = await bed.add(SMALL)
  const there = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)) }
  await files.putPart({ ...there, partNumber: 1 }, bodyWith(LARGE))
  const etag = await other.putPart({ ...there, partNumber: 1 }, bodyWith(SMALL))
  await files.putPart({ ...there, partNumber: 2 }, bodyWith(LARGE))
  const aborted = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)) }
  await files.putPart({ ...aborted, partNumber: 1 }, bodyWith(LARGE))
  await other.abort(aborted)
  const overtaken = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)) }
  await files.putPart({ ...overtaken, partNumber: 1 }, bodyWith(LARGE))
  await other.complete({ ...there, listed: [{ number: 1, etag }] })
  await bed.idle()
  expect(await bed.stateOf(id)).toBe('validated')
  expect(md5Of(await bed.stored(id))).toBe(md5Of(SMALL))
  expect(await left()).toEqual(NOTHING)
})

test('of two completions at the same time one counts', async () => {
  const [one, other] = [await bed.service('a'), await bed.service('b')]
  const id = await bed.add(SMALL)
  const [first, second] = [
    { ...fileAt(id), uploadId: await one.initiate(fileAt(id)) },
    { ...fileAt(id), uploadId: await other.initiate(fileAt(id)) },
  ]
  const etag = await one.putPart({ ...first, partNumber: 1 }, bodyWith(SMALL))
  await other.putPart({ ...second, partNumber: 1 }, bodyWith(SMALL))
  const listed = [{ number: 1, etag }]
  const ends = await Promise.allSettled([
    one.complete({ ...first, listed }),
    other.complete({ ...second, listed }),
    other.complete({ ...first, listed }),
  ])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await bed.idle()
  expect(await bed.stateOf(id)).toBe('validated')
  expect(await left()).toEqual(NOTHING)
})

test('while the bucket is away a part is refused, and can be sent again', async () => {
  const files = await bed.service('a')
  const id = await bed.add(LARGE)
  const there = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)), partNumber: 1 }
  let refused = 0
  s3.intercept = (request, response) => {
    if (!request.url?.includes('partNumber=2')) return false
    refused++
    response.writeHead(503).end()
    return true
  }
  const away = { code: 'unavailable', retryAfterSeconds: 10 }
  await expect(files.putPart(there, bodyWith(LARGE))).rejects.toMatchObject(away)
  expect(refused).toBe(3)
  expect(await files.parts(there)).toEqual([])
  s3.intercept = () => false
  await files.idle()
  expect(await left()).toEqual(NOTHING)
  const etag = await files.putPart(there, bodyWith(LARGE))
  await files.complete({ ...there, listed: [{ number: 1, etag }] })
  await files.idle()
  expect(await bed.stateOf(id)).toBe('validated')
})

test('a body that breaks off leaves nothing, also when the bucket is away by then', async () => {
  const errors: unknown[] = []
  const files = await bed.service('a', { onError: (error) => errors.push(error) })
  const id = await bed.add(LARGE)
  const [whole, part] = [slowBody(LARGE, 9 * MIB), slowBody(LARGE, 9 * MIB)]
  const there = { ...fileAt(id), uploadId: await files.initiate(fileAt(id)), partNumber: 1 }
  const ended = [files.putPart(there, part.body), files.upload(fileAt(id), whole.body)]
  for (const one of ended) one.catch(() => {})
  await Promise.all([whole.stopped, part.stopped])
  expect(await s3.uploads()).toHaveLength(2)
  s3.intercept = (_, response) => {
    response.writeHead(503).end()
    return true
  }
  for (const slow of [whole, part]) slow.breakOff(new Error('gone'))
  for (const one of ended) await expect(one).rejects.toThrow('gone')
  await files.idle()
  expect(errors).not.toEqual([])
  s3.intercept = () => false
  await files.beat()
  await files.idle()
  expect(await left()).toEqual(NOTHING)
  await files.abort(there)
})

test('the work of a server that seems dead is removed, and refused if it sends more', async () => {
  let now = 0
  const clock = { now: () => now }
  const [dead, living] = [await bed.service('a', clock), await bed.service('b', clock)]
  const [half, parts, done] = [await bed.add(LARGE), await bed.add(SMALL), await bed.add(SMALL)]
  const [whole, part] = [slowBody(LARGE, 9 * MIB), slowBody(SMALL, 10)]
  const there = { ...fileAt(parts), uploadId: await dead.initiate(fileAt(parts)) }
  const etag = await dead.putPart({ ...there, partNumber: 1 }, bodyWith(SMALL))
  const ended = [
    dead.upload(fileAt(half), whole.body),
    dead.putPart({ ...there, partNumber: 2 }, part.body),
  ]
  for (const one of ended) one.catch(() => {})
  await Promise.all([whole.stopped, part.stopped])
  expect((await left()).known).toHaveLength(3)

  for (const later of [0, 50_000, 61_000]) {
    now = later
    await living.beat()
  }
  await living.idle()
  expect(await bed.stateOf(half)).toBe('registered')
  expect(await left()).toMatchObject({ objects: [expect.stringContaining('/1-')], uploads: [] })
  for (const slow of [whole, part]) slow.goOn()
  for (const one of ended) await expect(one).rejects.toMatchObject({ code: expect.any(String) })
  await dead.idle()
  expect((await left()).objects).toHaveLength(1)
  expect(await living.parts(there)).toMatchObject([{ number: 1 }])
  await living.complete({ ...there, listed: [{ number: 1, etag }] })
  await living.upload(fileAt(done), bodyWith(SMALL))
  await living.idle()
  expect(await bed.stateOf(parts)).toBe('validated')
  expect(await bed.stateOf(done)).toBe('validated')
  expect(await left()).toEqual(NOTHING)
})

test('a file that one server was storing is stored by another', async () => {
  let now = 0
  const clock = { now: () => now }
  const dead = await bed.service('a', { ...clock, onError: () => {} })
  const id = await bed.add(LARGE)
  const there = { ...fileAt(id), uploadId: await dead.initiate(fileAt(id)) }
  const listed: { number: number; etag: string }[] = []
  for (const [i, part] of [LARGE.subarray(0, 9 * MIB), LARGE.subarray(9 * MIB)].entries()) {
    const etag = await dead.putPart({ ...there, partNumber: i + 1 }, bodyWith(part))
    listed.push({ number: i + 1, etag })
  }
  const held = Promise.withResolvers<void>()
  const copying = Promise.withResolvers<void>()
  s3.intercept = (request, response) => {
    if (!request.headers['x-amz-copy-source']) return false
    copying.resolve()
    void held.promise.then(() => response.destroy())
    return true
  }
  await dead.complete({ ...there, listed })
  await copying.promise
  expect(await bed.catalogue.find(id)).toBeUndefined()
  s3.intercept = () => false
  const living = await bed.service('b', clock)
  for (const later of [0, 50_000, 61_000]) {
    now = later
    await living.beat()
  }
  await living.idle()
  held.resolve()
  await dead.idle()
  expect(await bed.stateOf(id)).toBe('validated')
  expect(md5Of(await bed.stored(id))).toBe(md5Of(LARGE))
  expect(await left()).toEqual(NOTHING)
})

test('an upload that nobody goes on with is dropped after a week', async () => {
  let now = START
  const files = await bed.service('a', { clock: () => new Date(now) })
  const id = await bed.add(SMALL)
  const uploadId = await files.initiate(fileAt(id))
  await files.putPart({ ...fileAt(id), uploadId, partNumber: 1 }, bodyWith(SMALL))
  now += 6 * DAY
  await files.sweep()
  await files.idle()
  expect((await left()).objects).toHaveLength(1)
  now += 2 * DAY
  await files.sweep()
  await files.idle()
  expect(await bed.stateOf(id)).toBe('registered')
  expect(await left()).toEqual(NOTHING)
})

test('uploads of before go on in the folder where they were begun, and are refused elsewhere', async () => {
  const before = await bed.service('a', { bucket: undefined })
  const id = await bed.add(Buffer.concat([SMALL, SMALL]))
  const there = { ...fileAt(id), uploadId: await before.initiate(fileAt(id)) }
  const etag = await before.putPart({ ...there, partNumber: 1 }, bodyWith(SMALL))
  await before.close()
  const [here, elsewhere] = [await bed.service('a'), await bed.service('b')]
  const refused = { code: 'conflict', message: expect.stringContaining('another data folder') }
  const part = elsewhere.putPart({ ...there, partNumber: 2 }, bodyWith(SMALL))
  await expect(part).rejects.toMatchObject(refused)
  await here.putPart({ ...there, partNumber: 2 }, bodyWith(SMALL))
  await here.complete({ ...there, listed: [1, 2].map((number) => ({ number, etag })) })
  await here.idle()
  expect(await bed.stateOf(id)).toBe('validated')
  expect((await bed.stored(id)).equals(Buffer.concat([SMALL, SMALL]))).toBe(true)
  expect(readdirSync(join(bed.root, 'a', 'uploads'))).toEqual(['place'])
})
