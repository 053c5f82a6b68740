import { randomBytes } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  type MultipartUpload,
  S3Client,
} from '@aws-sdk/client-s3'
import type { Backing } from './backing.ts'
import { CREDENTIALS } from './ceph.ts'

/**
 * Makes a bucket of its own in a running gateway.
 * @param endpoint address of the gateway
 */
export async function cephBucket(endpoint: string): Promise<Backing> {
  const Bucket = `casemill-test-${randomBytes(6).toString('hex')}`
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { ...CREDENTIALS },
  })
  await client.send(new CreateBucketCommand({ Bucket }))
  const keys = async () => {
    const found: string[] = []
    for (let token: string | undefined; ; ) {
      const { Contents = [], NextContinuationToken } = await client.send(
        new ListObjectsV2Command({ Bucket, ContinuationToken: token }),
      )
      found.push(...Contents.flatMap(({ Key }) => Key ?? []))
      token = NextContinuationToken
      if (token === undefined) return found
    }
  }
  const uploads = async (): Promise<readonly MultipartUpload[]> =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
  return {
    bucket: Bucket,
    answer: (request, response) => relay(request, response, endpoint),
    keys,
    uploads: async () => (await uploads()).flatMap(({ UploadId }) => UploadId ?? []),
    begunUploads: async () => {
      const found: string[] = []
      for (const { Key, UploadId } of await uploads()) {
        const { Parts = [] } = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))
        found.push(...Parts.map(({ PartNumber }) => `${UploadId}/${PartNumber}`))
      }
      return found
    },
    end: async () => {
      for (const { Key, UploadId } of await uploads()) {
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      }
      const left = await keys()
      while (left.length > 0) {
        const Objects = left.splice(0, 1000).map((Key) => ({ Key }))
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      }
      await client.send(new DeleteBucketCommand({ Bucket }))
      client.destroy()
    },
  }
}

/** Hands a request on as it is. Its signature names the address that the client has asked, which Ceph accepts. */
function relay(request: IncomingMessage, response: ServerResponse, endpoint: string): void {
  const { hostname, port } = new URL(endpoint)
  const { expect: _answeredHere, ...headers } = request.headers
  const { method, url } = request
  const asked = send({ hostname, port, method, path: url, headers }, (answer) => {
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !/^(connection|keep-alive)$/.test(name)) {
        response.setHeader(name, value)
      }
    }
    response.writeHead(answer.statusCode ?? 502)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  asked.on('error', () => response.destroy())
  response.on('close', () => {
    if (!response.writableFinished) asked.destroy()
  })
  request.on('error', () => asked.destroy())
  request.pipe(asked)
}
