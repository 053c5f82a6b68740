import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pack } from 'tar-stream'

/** A small server of the interface that behaves correctly, unless a test changes it. */
export interface Stub {
  readonly address: string
  readonly requests: Seen[]
  /** Sees each request first; returns true if it has handled it. */
  intercept: Intercept
  /** The answer of files/versions. */
  readonly latest: Map<string, string>
  readonly files: Map<string, StubFile>
  /** Cuts all connections and refuses new ones for `pauseMs` milliseconds. */
  restart(pauseMs: number): void
  close(): void
}

export type Intercept = (
  seen: Seen,
  response: ServerResponse,
) => boolean | undefined | Promise<boolean | undefined>

interface Seen {
  readonly method: string
  readonly path: string
  readonly range: string | undefined
  readonly token: string | undefined
  readonly ids: readonly string[]
  /** The number of requests for this path and range, including this one. */
  readonly time: number
}

export interface StubFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
  /** The md5 of the bytes, if there are many. */
  readonly md5?: string
  readonly etag?: string
  /** The Content-Disposition header, if it is not the usual one. */
  readonly disposition?: string
  readonly hasRanges?: false
  readonly hasLength?: false
  readonly hasMd5?: false
  /** Whether the file is missing from the records, as older versions are. */
  readonly isUnlisted?: true
  readonly token?: string
  readonly index?: StubFile
}

/** Reproducible bytes without a pattern, from a key stream. */
export function madeBytes(seed: string, length: number): Buffer {
  const key = createHash('sha256').update(seed).digest()
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

export const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export async function startStub(...files: readonly StubFile[]): Promise<Stub> {
  const times = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = method === 'POST' ? await json(request) : undefined
    const key = `${method} ${url} ${headers.range}`
    times.set(key, (times.get(key) ?? 0) + 1)
    const seen: Seen = {
      method,
      path: url,
      range: headers.range,
      time: times.get(key) ?? 1,
      token: headers['x-auth-token']?.toString(),
      ids: idsOf(body),
    }
    stub.requests.push(seen)
    if (await stub.intercept(seen, response)) return
    await answer(stub, { seen, request, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const stub: Stub = {
    address: `http://127.0.0.1:${port}`,
    requests: [],
    intercept: () => false,
    latest: new Map(),
    files: new Map(files.flatMap((file) => [file, file.index ?? file]).map((f) => [f.id, f])),
    restart: (pauseMs) => {
      close()
      setTimeout(() => server.listen(port, '127.0.0.1'), pauseMs)
    },
    close,
  }
  return stub
}

export function refuse(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): true {
  const text = JSON.stringify({ message: `refused with ${status}` })
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text)
  return true
}

/** The number of bytes that range requests asked for. */
export function askedBytes(requests: readonly Seen[]): number {
  return requests.reduce((sum, { range }) => {
    const [, from = '0', to = '-1'] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    return sum + Number(to) - Number(from) + 1
  }, 0)
}

interface Exchange {
  readonly seen: Seen
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function answer(stub: Stub, { seen, request, response }: Exchange): Promise<void> {
  const sendJson = (value: unknown) => void response.end(JSON.stringify(value))
  const found = seen.ids.map((id) => stub.files.get(id)).filter((file) => file !== undefined)
  if (seen.path === '/files/versions') {
    return sendJson(seen.ids.map((id) => ({ id, latest_id: stub.latest.get(id) ?? id })))
  }
  if (seen.path === '/files') {
    return sendJson({ data: { hits: found.filter((file) => !file.isUnlisted).map(recordOf) } })
  }
  if (seen.path === '/data?tarfile') {
    const refused = found.find(({ token }) => token !== undefined && token !== seen.token)
    if (refused || found.length < seen.ids.length) return void refuse(response, refused ? 403 : 404)
    const archive = pack()
    for (const { id, name, bytes } of found) archive.entry({ name: `${id}/${name}` }, bytes)
    archive.entry({ name: 'MANIFEST.txt' }, 'id\n')
    archive.finalize()
    return void archive.pipe(response)
  }
  const file = stub.files.get(seen.path.replace('/data/', ''))
  if (!file) return void refuse(response, 404)
  if (file.token !== undefined && file.token !== seen.token) return void refuse(response, 403)
  sendFile(file, request, response)
}

export function sendFile(
  file: StubFile,
  request: Pick<IncomingMessage, 'headers'>,
  response: ServerResponse,
): void {
  const { bytes, md5 = md5Of(bytes), etag = `"${md5}"` } = file
  const ifRange = request.headers['if-range']
  const range =
    file.hasRanges === false || (ifRange !== undefined && ifRange !== etag)
      ? undefined
      : /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const [start, end] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, bytes.length]
  const { length } = bytes
  if (range && start >= length) {
    return void refuse(response, 416, { 'Content-Range': `bytes */${length}` })
  }
  const part = bytes.subarray(start, end)
  response.writeHead(range ? 206 : 200, {
    'Content-Disposition': file.disposition ?? `attachment; filename=${file.name}`,
    ETag: etag,
    ...(file.hasMd5 !== false && { 'Content-MD5': md5 }),
    ...(file.hasLength !== false && { 'Content-Length': String(part.length) }),
    ...(range && { 'Content-Range': `bytes ${start}-${start + part.length - 1}/${length}` }),
  })
  response.end(part)
}

function recordOf({
  id,
  name,
  bytes,
  md5 = md5Of(bytes),
  index,
}: StubFile): Record<string, unknown> {
  return {
    id,
    file_id: id,
    file_name: name,
    file_size: bytes.length,
    md5sum: md5,
    ...(index && { index_files: [recordOf(index)] }),
  }
}

function idsOf(body: unknown): string[] {
  const { ids, filters } = (body ?? {}) as {
    ids?: string[]
    filters?: { content: { value: string[] } }
  }
  return ids ?? filters?.content.value ?? []
}
