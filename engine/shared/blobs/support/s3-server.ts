import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ObjectStoreOptions } from '../object-client.ts'
import type { Backing } from './backing.ts'
import { CREDENTIALS, startCeph } from './ceph.ts'
import { cephBucket } from './ceph-bucket.ts'
import { startS3rver } from './s3rver.ts'

/** A request that the server has received. */
interface S3Request {
  readonly method: string
  /** Path and query string of the request. */
  readonly url: string
  readonly range: string | undefined
}

export interface S3Server {
  readonly options: ObjectStoreOptions
  /** Environment variables that configure a service for this server. */
  readonly environment: Readonly<Record<string, string>>
  /** All requests since the start, or since a test emptied the list. */
  readonly requests: S3Request[]
  /** Bytes of bodies that were promised to clients since the start. */
  readonly bytesSent: () => number
  readonly openSockets: () => number
  /** Called with each request. If it returns true, it has answered the request itself. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whether the server can copy ranges of objects into parts. */
  copiesParts: boolean
  /** Keys of all objects. */
  keys(): Promise<string[]>
  /** Uploads that were begun and neither completed nor aborted. */
  uploads(): Promise<string[]>
  /** Uploads for which bytes have arrived, among those not completed or aborted. */
  begunUploads(): Promise<string[]>
  /** Breaks all connections and listens no more. */
  kill(): Promise<void>
  /** Stops the server and removes its objects. */
  stop(): Promise<void>
}

/** Address of a gateway of Ceph that runs already, as test/object-gateway.ts starts one. */
const GATEWAY_SETTING = 'TEST_CEPH_GATEWAY'

interface StartOptions {
  readonly host?: string
  readonly port?: number
  /**
   * What stores the objects: `s3rver`, with or without what is added to it, or `ceph`, with a gateway of its own
   * unless one runs. By default the gateway that runs, else s3rver.
   */
  readonly store?: 'ceph' | 's3rver' | 'bare-s3rver' | undefined
}

/** Starts an S3 server with signatures and a bucket of its own, by default on a free port. */
export async function startS3(options: StartOptions = {}): Promise<S3Server> {
  const { host = '127.0.0.1', port = 0 } = options
  const backing = await backingOf(options)
  const { bucket } = backing
  const requests: S3Request[] = []
  const sockets = new Set<Socket>()
  let bytesSent = 0
  const http = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, range: headers.range })
    response.on('close', () => {
      if (method !== 'HEAD') bytesSent += Number(response.getHeader('content-length') ?? 0)
    })
    if (server.intercept(request, response)) return
    if (!server.copiesParts && refuseCopy(request, response)) return
    backing.answer(request, response)
  })
  http.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const endpoint = await listen(http, host, port)
  const server: S3Server = {
    options: { endpoint, bucket, region: 'us-east-1', credentials: { ...CREDENTIALS } },
    environment: {
      CASEMILL_S3_BUCKET: bucket,
      CASEMILL_S3_ENDPOINT: endpoint,
      CASEMILL_S3_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    requests,
    bytesSent: () => bytesSent,
    openSockets: () => sockets.size,
    intercept: () => false,
    copiesParts: true,
    keys: backing.keys,
    uploads: backing.uploads,
    begunUploads: backing.begunUploads,
    kill: () => end(http, sockets),
    stop: async () => {
      await end(http, sockets)
      await backing.end()
    },
  }
  return server
}

async function backingOf({ store }: StartOptions): Promise<Backing> {
  const gateway = process.env[GATEWAY_SETTING]
  if (store === 's3rver' || store === 'bare-s3rver') {
    return startS3rver({ isBare: store === 'bare-s3rver' })
  }
  if (gateway !== undefined) return cephBucket(gateway)
  if (store === undefined) return startS3rver({ isBare: false })
  const ceph = await startCeph()
  const backing = await cephBucket(ceph.endpoint)
  return { ...backing, end: () => ceph.stop() }
}

/** Makes all later `startS3` of this process and its children use a gateway. */
export function shareGateway(endpoint: string | undefined): void {
  if (endpoint === undefined) delete process.env[GATEWAY_SETTING]
  else process.env[GATEWAY_SETTING] = endpoint
}

/** Answers as a server that cannot copy ranges of objects into parts. */
function refuseCopy(request: IncomingMessage, response: ServerResponse): boolean {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  const isCopy = request.headers['x-amz-copy-source'] !== undefined && searchParams.has('uploadId')
  if (!isCopy) return false
  request.resume()
  response.writeHead(501, { 'content-type': 'application/xml' })
  response.end('<Error><Code>NotImplemented</Code></Error>')
  return true
}

async function listen(http: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve) => http.listen(port, host, resolve))
  return `http://${host}:${(http.address() as AddressInfo).port}`
}

async function end(http: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!http.listening) return
  const closed = new Promise((resolve) => http.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}
