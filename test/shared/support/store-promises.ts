import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Server } from '../../../engine/shared/blobs/support/s3-server.ts'

// What S3 promises and casemill does not need; some clients of the same bucket do.

/** A promise of S3, and what a store does about it, in the words of the table in the documentation. */
interface StorePromise {
  /** First column of its row. */
  readonly what: string
  /** Returns what was seen; `yes` if it is what Amazon documents. */
  look(place: { readonly client: S3Client; readonly Bucket: string }): Promise<string>
}

const ignore = () => {}
const OTHER_TAG = '"0123456789abcdef0123456789abcdef"'
const statusOf = (error: unknown) =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode

async function answerOf(request: Promise<unknown>): Promise<number | undefined> {
  return request.then(
    () => 200,
    (error: unknown) => statusOf(error),
  )
}

const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest()

/** Uploads parts and completes the upload, of these parts alone if they are named. */
async function upload(
  { client, Bucket }: { readonly client: S3Client; readonly Bucket: string },
  Key: string,
  parts: readonly Buffer[],
  counted = parts.length,
) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const Parts: { readonly ETag: string | undefined; readonly PartNumber: number }[] = []
  for (const [i, Body] of parts.entries()) {
    const part = { Bucket, Key, UploadId, PartNumber: i + 1, Body }
    const { ETag } = await client.send(new UploadPartCommand(part))
    Parts.push({ ETag, PartNumber: i + 1 })
  }
  const MultipartUpload = { Parts: Parts.slice(0, counted) }
  const complete = () =>
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }))
  return { complete }
}

export const STORE_PROMISES: readonly StorePromise[] = [
  {
    what: 'PUT with `If-None-Match: *` keeps an object that is there',
    async look({ client, Bucket }) {
      await client.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'a' }))
      const again = { Bucket, Key: 'new', Body: 'b', IfNoneMatch: '*' }
      return (await answerOf(client.send(new PutObjectCommand(again)))) === 412 ? 'yes' : 'no'
    },
  },
  {
    what: 'PUT with `If-Match` keeps an object of another entity tag',
    async look({ client, Bucket }) {
      await client.send(new PutObjectCommand({ Bucket, Key: 'old', Body: 'a' }))
      const again = { Bucket, Key: 'old', Body: 'b', IfMatch: OTHER_TAG }
      return (await answerOf(client.send(new PutObjectCommand(again)))) === 412 ? 'yes' : 'no'
    },
  },
  {
    what: 'GET with `If-None-Match` of the same entity tag is 304',
    async look({ client, Bucket }) {
      const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'same', Body: 'a' }))
      const again = { Bucket, Key: 'same', IfNoneMatch: ETag }
      return (await answerOf(client.send(new GetObjectCommand(again)))) === 304 ? 'yes' : 'no'
    },
  },
  {
    what: 'parts below 5 MiB are refused, but for the last',
    async look(place) {
      const { complete } = await upload(place, 'small', [randomBytes(100), randomBytes(100)])
      return (await answerOf(complete())) === 400 ? 'yes' : 'no'
    },
  },
  {
    what: 'the entity tag of an object of parts is the MD5 of their MD5s with their number',
    async look(place) {
      const parts = [randomBytes(5 << 20), randomBytes(100)]
      const { complete } = await upload(place, 'tagged', parts)
      await complete()
      const { ETag } = await place.client.send(
        new HeadObjectCommand({ Bucket: place.Bucket, Key: 'tagged' }),
      )
      const sum = md5Of(Buffer.concat(parts.map(md5Of))).toString('hex')
      return ETag === `"${sum}-2"` ? 'yes' : 'no'
    },
  },
  {
    what: 'the answer to a completion has that tag',
    async look(place) {
      const { complete } = await upload(place, 'told', [randomBytes(100)])
      const { ETag = '' } = await complete()
      return ETag === '' ? 'no' : 'yes'
    },
  },
  {
    what: 'a part that a completion does not name is left out',
    async look(place) {
      const parts = [randomBytes(5 << 20), randomBytes(100)]
      const { complete } = await upload(place, 'left-out', parts, 1)
      return (await answerOf(complete())) === 200 ? 'yes' : 'refused'
    },
  },
  {
    what: 'a completion that is sent again is answered as before',
    async look(place) {
      const { complete } = await upload(place, 'again', [randomBytes(100)])
      await complete()
      const status = await answerOf(complete())
      return status === 200 ? 'yes' : String(status)
    },
  },
  {
    what: 'lists are in the order of the bytes of keys',
    async look({ client, Bucket }) {
      const names = ['list/a', 'list/a-b', 'list/a/b', 'list/a0', 'list/ä']
      for (const Key of names.toReversed()) {
        await client.send(new PutObjectCommand({ Bucket, Key, Body: 'a' }))
      }
      const { Contents = [] } = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: 'list/' }),
      )
      return Contents.map(({ Key }) => Key).join() === names.join() ? 'yes' : 'no'
    },
  },
  {
    what: 'a body whose checksum differs is refused (`x-amz-checksum-crc32`)',
    async look({ client, Bucket }) {
      const put = { Bucket, Key: 'sum', Body: 'a', ChecksumCRC32: 'AAAAAA==' }
      return (await answerOf(client.send(new PutObjectCommand(put)))) === 400 ? 'yes' : 'no'
    },
  },
  {
    what: 'a body in chunks with a checksum at its end, the default of newer clients, is stored without its frames',
    async look({ client, Bucket }) {
      const bytes = Buffer.from('hello world')
      const body = Readable.from([bytes.subarray(0, 6), bytes.subarray(6)])
      const put = {
        ...{ Bucket, Key: 'chunks', Body: body, ContentLength: bytes.length },
        ChecksumAlgorithm: 'CRC32' as const,
      }
      const status = await answerOf(client.send(new PutObjectCommand(put)))
      if (status !== 200) return `refused (${status})`
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'chunks' }))
      return (await Body?.transformToString()) === String(bytes) ? 'yes' : 'with its frames'
    },
  },
]

/** Returns what a store does about each promise, in their order. */
export async function lookAt({ options }: Pick<S3Server, 'options'>): Promise<readonly string[]> {
  const { endpoint = '', credentials, bucket } = options
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // It warns that a stream cannot be sent twice.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    ...(credentials && { credentials }),
  })
  try {
    const seen: string[] = []
    for (const { look } of STORE_PROMISES) seen.push(await look({ client, Bucket: bucket }))
    return seen
  } finally {
    client.destroy()
  }
}
