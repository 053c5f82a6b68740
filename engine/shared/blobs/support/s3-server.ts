import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectStoreOptions } from '../object-client.ts'

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
  /** Whether the server can copy ranges of objects into parts, which s3rver itself cannot. */
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

const BUCKET = 'casemill-test'
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Report of s3rver's store about bytes that it has written. */
interface Written {
  readonly size: number
  readonly md5: string
}

interface Store {
  putObject(object: { readonly bucket: string; readonly key: string }): Promise<Written>
  putObjectMultipart(
    bucket: string,
    id: string,
    parts: readonly { readonly number: number }[],
  ): Promise<unknown>
  putPart(...place: [bucket: string, id: string, part: string, body: unknown]): Promise<Written>
  listObjects(bucket: string, options: object): Promise<unknown>
  getResourcePath(bucket: string, key: string | undefined, kind: string): string
}

interface S3rver {
  readonly store: Store
  callback(): Handler
  configureBuckets(): Promise<unknown>
}

/** Starts an S3 server with signatures and its own folder, by default on a free port. */
export async function startS3({ host = '127.0.0.1', port = 0 } = {}): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-s3-'))
  const Constructor = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver
  const s3rver = new Constructor({
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  })
  await s3rver.configureBuckets()
  answerWhenWritten(s3rver.store)
  listInOnePage(s3rver.store)
  refuseSmallParts(s3rver.store)
  const uploadsFolder = s3rver.store.getResourcePath(BUCKET, undefined, 'uploads')
  await mkdir(uploadsFolder, { recursive: true })

  const requests: S3Request[] = []
  const sockets = new Set<Socket>()
  let bytesSent = 0
  const answer = s3rver.callback()
  const http = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, range: headers.range })
    response.on('close', () => {
      if (method !== 'HEAD') bytesSent += Number(response.getHeader('content-length') ?? 0)
    })
    if (server.intercept(request, response)) return
    if (answerUnknown(request, response, uploadsFolder)) return
    if (answerUploads(request, response, uploadsFolder)) return
    if (server.copiesParts && answerCopy(request, response, s3rver.store)) return
    answer(request, response)
  })
  http.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const endpoint = await listen(http, host, port)
  const server: S3Server = {
    options: { endpoint, bucket: BUCKET, region: 'us-east-1', credentials: CREDENTIALS },
    environment: {
      CASEMILL_S3_BUCKET: BUCKET,
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
    keys: async () => {
      const names = await readdir(join(folder, BUCKET), { recursive: true })
      const end = '._S3rver_object'
      return names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length))
    },
    uploads: () => readdir(uploadsFolder),
    begunUploads: async () => {
      const names = await readdir(uploadsFolder, { recursive: true })
      return names.filter((name) => /^\w+\/\d+$/.test(name))
    },
    kill: () => end(http, sockets),
    stop: async () => {
      await end(http, sockets)
      await rm(folder, { recursive: true, force: true })
    },
  }
  return server
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

/** s3rver answers when it has read a body. A real server answers when the object can be read. */
function answerWhenWritten(store: Store): void {
  const putObject = store.putObject.bind(store)
  const putPart = store.putPart.bind(store)
  store.putObject = async (object) => {
    const written = await putObject(object)
    await untilSized(store.getResourcePath(object.bucket, object.key, 'object'), written.size)
    return written
  }
  store.putPart = async (bucket, id, part, body) => {
    const written = await putPart(bucket, id, part, body)
    const folder = store.getResourcePath(bucket, undefined, 'uploads')
    await untilSized(join(folder, id, String(part)), written.size)
    return written
  }
}

/** s3rver names the next page by a cipher that Node has no more. */
function listInOnePage(store: Store): void {
  const listObjects = store.listObjects.bind(store)
  store.listObjects = (bucket, options) => listObjects(bucket, { ...options, maxKeys: Infinity })
}

async function untilSized(path: string, size: number): Promise<void> {
  while ((await stat(path).catch(() => undefined))?.size !== size) await sleep(1)
}

/** Answers a request for a part of an unknown or removed upload. s3rver would start a new upload. */
function answerUnknown(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
): boolean {
  const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('uploadId')
  if (request.method !== 'PUT' || id === null || existsSync(join(folder, id))) return false
  request.resume()
  response.writeHead(404, { 'content-type': 'application/xml' })
  response.end('<Error><Code>NoSuchUpload</Code></Error>')
  return true
}

/** Listing and aborting of uploads, which s3rver has not. */
function answerUploads(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
): boolean {
  const url = new URL(request.url ?? '', 'http://localhost')
  const id = url.searchParams.get('uploadId')
  if (request.method === 'DELETE' && id !== null && /^\w+$/.test(id)) {
    request.resume()
    // Meanwhile, a part that is still arriving may add a file.
    void rm(join(folder, id), { recursive: true, force: true, maxRetries: 5 }).then(() => {
      response.writeHead(204).end()
    })
    return true
  }
  if (request.method === 'GET' && url.searchParams.has('uploads')) {
    const prefix = url.searchParams.get('prefix') ?? ''
    void uploadsIn(folder, prefix).then((uploads) => {
      const rows = uploads.map(
        ({ key, id }) => `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      )
      const list = `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0" encoding="UTF-8"?>${list}`)
    })
    return true
  }
  return false
}

/** Uploads to objects whose keys begin so; s3rver keeps the key beside the parts. */
async function uploadsIn(folder: string, prefix: string) {
  const uploads: { readonly key: string; readonly id: string }[] = []
  for (const id of await readdir(folder)) {
    const key = await readFile(join(folder, id, 'key'), 'utf8').catch(() => undefined)
    if (key?.startsWith(prefix)) uploads.push({ key, id })
  }
  return uploads
}

/** Copying a range of an object into a part. */
function answerCopy(request: IncomingMessage, response: ServerResponse, store: Store): boolean {
  const url = new URL(request.url ?? '', 'http://localhost')
  const { searchParams } = url
  const source = request.headers['x-amz-copy-source']
  const id = searchParams.get('uploadId')
  const number = searchParams.get('partNumber')
  if (request.method !== 'PUT' || typeof source !== 'string' || id === null) return false
  const [bucket = '', ...key] = source.split('/').map(decodeURIComponent)
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers['x-amz-copy-source-range']))
  const path = store.getResourcePath(bucket, key.join('/'), 'object')
  const bytes = createReadStream(path, { start: Number(range?.[1]), end: Number(range?.[2]) })
  request.resume()
  bytes.on('error', () => response.writeHead(404).end())
  store.putPart(bucket, id, String(number), bytes).then(
    ({ md5 }) => {
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(`<CopyPartResult><ETag>&quot;${md5}&quot;</ETag></CopyPartResult>`)
    },
    () => response.writeHead(404).end(),
  )
  return true
}

/** S3 puts no parts below 5 MiB together, but for the last. */
function refuseSmallParts(store: Store): void {
  const putObjectMultipart = store.putObjectMultipart.bind(store)
  store.putObjectMultipart = async (bucket, id, parts) => {
    const folder = store.getResourcePath(bucket, undefined, 'uploads')
    for (const { number } of parts.slice(0, -1)) {
      const { size } = await stat(join(folder, id, String(number)))
      if (size < 5 << 20) throw new Error(`part ${number} is too small`)
    }
    return putObjectMultipart(bucket, id, parts)
  }
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)
}
