import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

export interface RawRequest {
  readonly method?: string
  /** Path and query exactly as they are sent. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body with its content coding undone, as by clients. */
  readonly text: string
}

/** Sends a request as it is written, without a normalised URL and without a library's headers. */
export async function sendRaw(address: string, asked: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', target, headers = {}, body } = asked
  const { hostname, port } = new URL(address)
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = bytes ? { 'Content-Length': String(bytes.length) } : {}
    const sent = request(
      { hostname, port, method, path: target, headers: { ...headers, ...length } },
      resolve,
    )
    sent.on('error', reject).end(bytes)
  })
  const encoded = await buffer(response)
  const decode = DECODERS[response.headers['content-encoding'] ?? 'identity']
  if (!decode) throw new Error(`coding ${response.headers['content-encoding']} was not asked for`)
  const { statusCode: status = 0, headers: received } = response
  const text = method === 'HEAD' ? '' : decode(encoded).toString()
  return { status, headers: received, text }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  deflate: inflateSync,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
