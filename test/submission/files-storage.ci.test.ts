import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { composeObject } from '../../engine/shared/blobs/compose-object.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { BucketBed, bodyWith, fileAt, slowBody } from './support/bucket-bed.ts'
import { md5Of, someBytes } from './support/file-service.ts'

// Uploads in a bucket of a store that people run: copies of ranges, aborts, lists of uploads, and its refusals.
// It is Ceph's gateway, or what TEST_S3_ENDPOINT, TEST_S3_KEY and TEST_S3_SECRET name; see support/swift-s3.sh.

const {
  TEST_S3_ENDPOINT: named,
  TEST_S3_KEY: accessKeyId = '',
  TEST_S3_SECRET: secretAccessKey = '',
} = process.env
const MIB = 1 << 20
const LARGE = someBytes(17 * MIB)

const isThere = named !== undefined || inject('available').ceph

describe.skipIf(!isThere)('uploads in the bucket of a store that people run', () => {
  const prefix = `uploads-${crypto.randomUUID()}`
  let ceph: S3Server | undefined
  let bed: BucketBed
  let client: S3Client
  let bucket = 'casemill-test'
  beforeAll(async () => {
    ceph = named === undefined ? await startS3({ store: 'ceph' }) : undefined
    const place = ceph?.options ?? {
      endpoint: named,
      bucket,
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey },
    }
    bucket = place.bucket
    bed = await BucketBed.open({ ...place, prefix })
    client = new S3Client({
      endpoint: place.endpoint ?? '',
      region: 'us-east-1',
      forcePathStyle: true,
      ...(place.credentials && { credentials: place.credentials }),
    })
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error) => {
      if (!(error instanceof BucketAlreadyOwnedByYou)) throw error
    })
  })
  afterAll(async () => {
    for await (const name of bed?.bucket.client.keys(prefix) ?? []) {
      await bed.bucket.client.remove(name)
    }
    await bed?.close()
    client?.destroy()
    await ceph?.stop()
  })

  const uploads = async () => {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix })
    return ((await client.send(command)).Uploads ?? []).map(({ UploadId }) => UploadId)
  }

  async function left() {
    const objects: string[] = []
    for await (const name of bed.bucket.client.keys(`${prefix}/uploads/`)) objects.push(name)
    return { objects, uploads: await uploads(), known: await bed.known() }
  }
  const NOTHING = { objects: [], uploads: [], known: [] }

  test.each([
    { what: 'copied', sizes: [6 * MIB, 7 * MIB, 17] },
    { what: 'of several requests', sizes: [6 * MIB, 9 * MIB, 17] },
    { what: 'joined', sizes: [10, 1000, 5 * MIB - 1, 7 * MIB, 3] },
    { what: 'one', sizes: [17 * MIB] },
  ])('parts become one file: $what', async ({ sizes }) => {
    const [one, other] = [await bed.service('a'), await bed.service('b')]
    const bytes = someBytes(sizes.reduce((sum, size) => sum + size, 0))
    const id = await bed.add(bytes)
    const there = { ...fileAt(id), uploadId: await one.initiate(fileAt(id)) }
    const listed: { number: number; etag: string }[] = []
    let start = 0
    for (const [i, size] of sizes.entries()) {
      const part = bytes.subarray(start, start + size)
      const taker = i % 2 === 0 ? one : other
      const etag = await taker.putPart({ ...there, partNumber: i + 1 }, bodyWith(part))
      listed.push({ number: i + 1, etag })
      start += size
    }
    await other.complete({ ...there, listed })
    await bed.idle()
    expect(await bed.stateOf(id)).toBe('validated')
    expect(md5Of(await bed.stored(id))).toBe(md5Of(bytes))
    expect(await left()).toEqual(NOTHING)
    await bed.end()
  })

  test('a body in one piece becomes a file', async () => {
    const files = await bed.service('a')
    const id = await bed.add(LARGE)
    await files.upload(fileAt(id), bodyWith(LARGE))
    await bed.idle()
    expect(await bed.stateOf(id)).toBe('validated')
    expect(md5Of(await bed.stored(id))).toBe(md5Of(LARGE))
    expect(await left()).toEqual(NOTHING)
    await bed.end()
  })

  test('aborted, interrupted and orphaned uploads are aborted in the storage', async () => {
    let now = 0
    const clock = { now: () => now }
    const [dead, living] = [await bed.service('a', clock), await bed.service('b', clock)]
    const id = await bed.add(LARGE)
    const there = { ...fileAt(id), uploadId: await dead.initiate(fileAt(id)) }
    await dead.putPart({ ...there, partNumber: 1 }, bodyWith(LARGE))
    const [broken, held] = [slowBody(LARGE, 9 * MIB), slowBody(LARGE, 9 * MIB)]
    const ended = [broken, held].map(({ body }, i) =>
      dead.putPart({ ...there, partNumber: i + 2 }, body),
    )
    for (const one of ended) one.catch(() => {})
    await Promise.all([broken.stopped, held.stopped])
    expect(await uploads()).toHaveLength(2)
    broken.breakOff(new Error('gone'))
    await expect(ended[0]).rejects.toThrow('gone')
    await bed.idle()
    expect(await uploads()).toHaveLength(1)

    for (const later of [0, 50_000, 61_000]) {
      now = later
      await living.beat()
    }
    await living.idle()
    expect(await uploads()).toEqual([])
    held.goOn()
    await expect(ended[1]).rejects.toMatchObject({ code: expect.any(String) })
    await living.abort(there)
    await bed.idle()
    expect(await left()).toEqual(NOTHING)
    await bed.end()
  })

  test('bytes that are others by now are not put together', async () => {
    const { client: objects } = bed.bucket
    const key = `${prefix}/source`
    await objects.put(key, LARGE)
    const source = { key, entityTag: md5Of(LARGE.subarray(1)), size: LARGE.length }
    const options = { signal: new AbortController().signal, onBegun: async () => {} }
    const refused = { code: 'unavailable', message: expect.stringContaining('was replaced') }
    for (const sources of [[source], [source, source]]) {
      const made = composeObject(objects, `${prefix}/made`, sources, options)
      await expect(made).rejects.toMatchObject(refused)
    }
    expect(await objects.identity(`${prefix}/made`)).toBeUndefined()
    const uploadId = await objects.beginUpload(key)
    for (let tries = 0; tries < 2; tries++) await objects.abortUpload(key, uploadId)
    expect(await uploads()).toEqual([])
  })
})
