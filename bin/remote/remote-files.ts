import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AddressedBytes,
  type Addresses,
  EngineError,
  type FileIdentity,
  type RemoteRange,
} from '../../engine/shared/index.ts'
import { RemoteHosts } from './remote-hosts.ts'

/** Milliseconds without data after which a response is abandoned. */
const SILENCE_MILLISECONDS = 30_000
const MAX_TRIES = 4
const FIRST_PAUSE_MILLISECONDS = 200
const MAX_REDIRECTS = 3
const MAX_SOCKETS = 8

interface RemoteTimes {
  readonly silence: number
  readonly pause: number
}

const TIMES: RemoteTimes = { silence: SILENCE_MILLISECONDS, pause: FIRST_PAUSE_MILLISECONDS }

/**
 * Reads ranges of remote files on the listed hosts only. Redirects are followed within an origin. A file must
 * not change: its size is checked, and its entity tag or, without one, its modification time.
 */
export class RemoteFiles implements Addresses {
  readonly #hosts: RemoteHosts
  readonly #times: RemoteTimes
  readonly #agents: { readonly 'http:': Agent; readonly 'https:': SecureAgent }

  constructor(hosts: RemoteHosts, times: Partial<RemoteTimes> = {}) {
    this.#hosts = hosts
    this.#times = { ...TIMES, ...times }
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS, lookup: hosts.lookup }
    this.#agents = { 'http:': new Agent(options), 'https:': new SecureAgent(options) }
  }

  async open(address: string, signal?: AbortSignal): Promise<AddressedBytes> {
    const url = this.#hosts.allowed(address)
    const answer = await this.#ask(url, { range: 'bytes=0-0' }, signal)
    try {
      const identity = identityOf(answer, url)
      return {
        identity,
        reader: { fetch: (range, deliver) => this.#read(url, identity, range, deliver) },
      }
    } finally {
      answer.destroy()
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }

  async #read(
    url: URL,
    { size, inode }: FileIdentity,
    { start, end, signal }: RemoteRange,
    deliver: (bytes: Uint8Array, position: number) => void,
  ): Promise<void> {
    let position = start
    for (let failures = 0; position < end; ) {
      const before = position
      try {
        const range = `bytes=${position}-${end - 1}`
        const answer = await this.#ask(url, { range, ...condition(inode) }, signal)
        requireRange(answer, url, { start: position, end, size, inode })
        for await (const bytes of answer as AsyncIterable<Uint8Array>) {
          if (position + bytes.length > end) throw unavailable(url, 'sends more than was requested')
          deliver(bytes, position)
          position += bytes.length
        }
        if (position < end) throw new Error('the response is too short')
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof EngineError) throw error
        failures = position > before ? 1 : failures + 1
        if (failures === MAX_TRIES) throw unavailable(url, 'breaks off again and again', error)
        await sleep(this.#times.pause * 2 ** failures, undefined, signal ? { signal } : {})
      }
    }
  }

  /** Sends a request and follows redirects within the origin. */
  async #ask(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    let target = url
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#send(target, headers, signal)
      const { statusCode = 0 } = answer
      if (statusCode < 300 || statusCode > 399) return requireSuccess(answer, url)
      answer.destroy()
      const next = URL.parse(answer.headers.location ?? '', target.href)
      if (next?.origin !== url.origin) {
        const place = next ? JSON.stringify(next.origin) : 'nowhere'
        const message = `${placeOf(url)} redirects to ${place}; redirects to other hosts are not followed, so give the final address`
        throw new EngineError('bad_input', message, { at: 'address' })
      }
      if (redirects === MAX_REDIRECTS) throw unavailable(url, 'redirects again and again')
      target = this.#hosts.allowed(next.href)
    }
  }

  #send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:'
    const agent = this.#agents[isSecure ? 'https:' : 'http:']
    const { silence: timeout } = this.#times
    // A range of a compressed response would consist of other bytes.
    const sent = { 'accept-encoding': 'identity', ...headers }
    return new Promise((resolve, reject) => {
      const options = { headers: sent, agent, timeout, ...(signal ? { signal } : {}) }
      const asked = isSecure
        ? requestHttps(url, options, resolve)
        : requestHttp(url, options, resolve)
      asked.on('timeout', () => asked.destroy(new Error('no response in time')))
      asked.on('error', (error) => {
        if (signal?.aborted) return reject(signal.reason)
        reject(error instanceof EngineError ? error : unavailable(url, 'does not answer', error))
      })
      asked.end()
    })
  }
}

/** Creates a reader for the hosts in a list separated by commas or spaces. */
export function remoteFiles(list: string | null): RemoteFiles {
  const entries = (list ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  return new RemoteFiles(new RemoteHosts(entries))
}

/** Formats the origin and path of a URL. The query is left out, because it may contain a signature. */
const placeOf = ({ origin, pathname }: URL) => JSON.stringify(origin + pathname)

function unavailable(url: URL, what: string, cause?: unknown): EngineError {
  return new EngineError('unavailable', `${placeOf(url)} ${what}`, { cause })
}

function requireSuccess(answer: IncomingMessage, url: URL): IncomingMessage {
  const { statusCode = 0 } = answer
  if (statusCode === 206) return answer
  answer.destroy()
  if (statusCode === 200) {
    const message = `${placeOf(url)} does not support range requests: the server sends the whole file; download it and import the copy`
    throw new EngineError('bad_input', message, { at: 'address' })
  }
  if (statusCode === 404 || statusCode === 410) {
    throw new EngineError('not_found', `there is no file at ${placeOf(url)}`, { at: 'address' })
  }
  if (statusCode === 412) throw changed(url)
  throw unavailable(url, `answers with status ${statusCode}`)
}

function changed(url: URL): EngineError {
  return unavailable(url, 'is another file than it was; import it again')
}

const condition = (inode: string) =>
  inode.startsWith('"') ? { 'if-match': inode } : { 'if-unmodified-since': inode }

/** Returns a strong entity tag. Without one, returns the modification time. */
function markOf({ headers }: IncomingMessage): string | undefined {
  const { etag, 'last-modified': modified } = headers
  return etag?.startsWith('"') ? etag : modified
}

function identityOf(answer: IncomingMessage, url: URL): FileIdentity {
  const size = rangeOf(answer)?.size
  if (size === undefined) throw unavailable(url, 'does not say how long the file is')
  const inode = markOf(answer)
  if (inode === undefined) {
    const message = `the server names neither ETag nor Last-Modified for ${placeOf(url)}, so a change would not be noticed; download it and import the copy`
    throw new EngineError('bad_input', message, { at: 'address' })
  }
  const modified = Date.parse(answer.headers['last-modified'] ?? '')
  return { size, modified: String(BigInt(modified || 0) * 1_000_000n), inode }
}

function rangeOf({ headers }: IncomingMessage) {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '')
  if (!match || headers['content-encoding'] !== undefined) return undefined
  return { start: Number(match[1]), end: Number(match[2]) + 1, size: Number(match[3]) }
}

interface Expected {
  readonly start: number
  readonly end: number
  readonly size: number
  readonly inode: string
}

function requireRange(answer: IncomingMessage, url: URL, expected: Expected): void {
  const range = rangeOf(answer)
  const isSame = range?.size === expected.size && markOf(answer) === expected.inode
  const isAsked = range?.start === expected.start && range.end === expected.end
  if (isSame && isAsked) return
  answer.destroy()
  throw isSame || !range ? unavailable(url, 'sends another range than was requested') : changed(url)
}
