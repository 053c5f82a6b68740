import { type IncomingMessage, request as open } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, inflateSync } from 'node:zlib'

/** The user agent of the transfer client's HTTP library. */
const AGENT = 'python-requests/2.28.1'

const OWN_HEADERS = [
  ...['User-Agent', AGENT, 'Accept-Encoding', 'gzip, deflate'],
  ...['Accept', '*/*', 'Connection', 'keep-alive'],
] as const

/** An answer whose body has not been read yet. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: IncomingMessage
  /** Breaks off the connection. */
  close(): void
}

/** Writes JSON as Python does: with a blank after each comma and colon. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonJson(member)}`,
  )
  return `{${members.join(', ')}}`
}

/** Requests a file, with the names and the order of the library's headers. */
export function get(
  url: string,
  { token, range }: { readonly token?: string | undefined; readonly range?: string } = {},
): Promise<OpenAnswer> {
  const { host } = new URL(url)
  const given = token === undefined ? [] : ['X-Auth-Token', token]
  // A Host header of the caller stays in its place; otherwise it is sent first.
  const headers =
    range === undefined
      ? ['Host', host, ...OWN_HEADERS, ...given]
      : [...OWN_HEADERS, ...given, 'Range', range, 'host', host]
  return send('GET', url, headers)
}

export function post(
  url: string,
  json: unknown,
  { token }: { readonly token?: string | undefined } = {},
): Promise<OpenAnswer> {
  const body = pythonJson(json)
  const given = token === undefined ? [] : ['X-Auth-Token', token]
  const own = ['Host', new URL(url).host, ...OWN_HEADERS, ...given]
  const length = ['Content-Length', String(Buffer.byteLength(body))]
  return send('POST', url, [...own, ...length, 'Content-Type', 'application/json'], body)
}

/** Sends bytes, or nothing, without a content type. */
export function request(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  url: string,
  { token, body }: { readonly token: string; readonly body?: Buffer | undefined },
): Promise<OpenAnswer> {
  const own = ['Host', new URL(url).host, ...OWN_HEADERS, 'X-Auth-Token', token]
  // A method that may have a body states that there is none.
  const length = method === 'GET' ? [] : ['Content-Length', String(body?.length ?? 0)]
  return send(method, url, [...own, ...length], body)
}

function send(
  method: string,
  url: string,
  headers: readonly string[],
  body: string | Buffer = '',
): Promise<OpenAnswer> {
  // The URL is parsed by hand to keep doubled slashes.
  const [, host = '', path = ''] = /^http:\/\/([^/]+)(.*)$/.exec(url) ?? []
  const [hostname, port] = host.split(':')
  return new Promise((resolve, reject) => {
    // Every request has a connection of its own.
    const options = { method, hostname, port, path, headers, agent: false, setHost: false }
    const sent = open(options, (message) => {
      message.on('error', () => {})
      const { statusCode: status = 0, headers: received } = message
      resolve({ status, headers: received, body: message, close: () => sent.destroy() })
    })
    sent.setTimeout(60_000, () => sent.destroy(new Error('nothing came for 60 seconds')))
    sent.on('error', reject).end(body)
  })
}

/** Returns the whole body as a text, with its content coding undone. */
export async function textOf({ body, headers }: OpenAnswer): Promise<string> {
  const bytes = await buffer(body)
  const coding = headers['content-encoding']
  if (coding === 'gzip') return gunzipSync(bytes).toString()
  return (coding === 'deflate' ? inflateSync(bytes) : bytes).toString()
}

/**
 * Returns the whole body as received.
 * @throws Error when it has a content coding: bytes of files are counted and compared as they are
 */
export async function bytesOf({ body, headers }: OpenAnswer): Promise<Buffer> {
  const coding = headers['content-encoding']
  if (coding !== undefined) throw new Error(`bytes have the content coding ${coding}`)
  return buffer(body)
}
