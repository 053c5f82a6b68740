import { EngineError, LoopTurns } from '../../engine/shared/index.ts'
import { MAX_PARAMETER_VALUES } from '../../engine/shared/internal.ts'
import { collect, parseForm } from './form.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import type { Arrival } from './inflow.ts'
import { parseJsonInTurns } from './json-text.ts'

/** Time limit for a body that is collected in memory, from its first byte to its last. */
const WHOLE_MILLISECONDS = 300_000

export interface BodyTerms {
  /** Maximum size in bytes of a body that is collected in memory. */
  readonly bodyBytes: number
  /** Minimum rate at which a client must send, in bytes per second, and the interval in which it is measured. */
  readonly bodyRate: number
  readonly stallMilliseconds: number
  /** Shares turns of the event loop while the body is gathered. */
  readonly turns?: LoopTurns
  /** Whether the body may be compressed. The caller then decompresses it. */
  readonly takesCoded?: boolean
  /** Registers the body with the accounting of all request bodies. */
  readonly arrive: (giveUp: (error: EngineError) => void) => Arrival
}

/**
 * Reads a request body into memory, up to the limit. The memory is accounted until the arrival is released.
 * @throws EngineError `unsupported_type` if it is compressed; `too_large` as soon as the limit is known to be
 * exceeded; `bad_input` if it takes too long; `busy` if the bodies of all requests take too much memory
 */
export async function readBody(
  request: Request,
  terms: BodyTerms,
  milliseconds = WHOLE_MILLISECONDS,
): Promise<Uint8Array> {
  const { bodyBytes: limit } = terms
  requirePlain(request.headers)
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  // GET and HEAD have no body here, and accessing `body` would construct a whole Request.
  if (request.method === 'GET' || request.method === 'HEAD') return new Uint8Array(0)
  if (request.body === null) return new Uint8Array(0)
  // A body that is too large is not cancelled, because that would destroy the socket before the 413 is written.
  // The rest of the body is discarded after the response (unread-body.ts).
  const reader = request.body.getReader()
  const patience = new Patience(terms)
  const late = setTimeout(() => patience.giveUp(tooSlow()), milliseconds)
  const gathered = new GatheredBytes(limit)
  try {
    for (;;) {
      const { done, value } = await patience.wait(reader.read())
      if (done) return gathered.take()
      // The operating system can deliver megabytes of each connection in one turn of the event loop.
      if (gathered.length > 0) await terms.turns?.pause()
      if (gathered.length + value.byteLength > limit) throw tooLarge(limit)
      patience.arrival.hold(value.byteLength)
      gathered.add(value)
    }
  } catch (error) {
    gathered.drop()
    patience.arrival.release()
    throw error
  } finally {
    clearTimeout(late)
    patience.end()
  }
}

/**
 * Yields a request body of any length as it arrives, for callers that keep only a little of it at a time.
 * @throws EngineError `unsupported_type` if the body is compressed and the caller does not accept that;
 *   `bad_input` if the client sends more slowly than the minimum rate; the error of the connection
 */
export async function* bodyChunks(request: Request, terms: BodyTerms): AsyncGenerator<Uint8Array> {
  if (!terms.takesCoded) requirePlain(request.headers)
  const reader = request.body?.getReader()
  if (!reader) return
  const patience = new Patience(terms)
  try {
    for (;;) {
      const { done, value } = await patience.wait(reader.read())
      if (done) return
      patience.arrival.pass(value.byteLength)
      // The caller processes each chunk at once on this thread, so other requests get a turn first.
      await terms.turns?.pause()
      yield value
    }
  } finally {
    patience.end()
  }
}

/**
 * Checks that a body is not compressed.
 * @throws EngineError `unsupported_type` if it is
 */
export function requirePlain(headers: Headers): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return
  const named = JSON.stringify(coding.slice(0, 40))
  const message = `the body has the coding ${named}; send it as it is, without Content-Encoding`
  throw new EngineError('unsupported_type', message, { at: 'content-encoding' })
}

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/** Waits for the chunks of a body while the sender is fast enough. Time to process a chunk does not count. */
class Patience {
  readonly arrival: Arrival
  readonly #terms: BodyTerms
  #timer: NodeJS.Timeout
  // One promise for all races would keep all their values in memory, so each race has its own.
  #reject: (error: EngineError) => void = () => {}
  #verdict: EngineError | undefined
  /** Bytes received and milliseconds waited in the current interval. */
  #bytes = 0
  #waited = 0
  #waitingSince: number | undefined

  constructor(terms: BodyTerms) {
    this.#terms = terms
    this.arrival = terms.arrive((error) => this.giveUp(error))
    this.#timer = this.#measureIn(terms.stallMilliseconds)
  }

  async wait(chunk: Promise<Chunk>): Promise<Chunk> {
    this.#waitingSince = performance.now()
    try {
      const { done, value } = await new Promise<Chunk>((resolve, reject) => {
        this.#reject = reject
        if (this.#verdict) reject(this.#verdict)
        chunk.then(resolve, reject)
      })
      if (done) return { done, value }
      this.#bytes += value.byteLength
      return { done, value }
    } finally {
      this.#waited = this.#timeWaited()
      this.#waitingSince = undefined
    }
  }

  giveUp(error: EngineError): void {
    this.#verdict = error
    this.#reject(error)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.arrival.end()
  }

  #timeWaited(): number {
    const since = this.#waitingSince
    return this.#waited + (since === undefined ? 0 : performance.now() - since)
  }

  #measureIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#measure(), Math.ceil(milliseconds))
  }

  #measure(): void {
    const { bodyRate, stallMilliseconds } = this.#terms
    const waited = this.#timeWaited()
    if (waited < stallMilliseconds) {
      this.#timer = this.#measureIn(stallMilliseconds - waited)
      return
    }
    if (this.#bytes < Math.max(1, (bodyRate * waited) / 1000)) {
      this.giveUp(tooSlow())
      return
    }
    this.#bytes = 0
    this.#waited = 0
    if (this.#waitingSince !== undefined) this.#waitingSince = performance.now()
    this.#timer = this.#measureIn(stallMilliseconds)
  }
}

function tooSlow(): EngineError {
  return new EngineError('bad_input', 'the request took too long to arrive; send it anew')
}

function tooLarge(limit: number): EngineError {
  return new EngineError('too_large', `the request body is larger than the limit of ${limit} bytes`)
}

/**
 * Parses the parameters of a JSON or form body. A large JSON body is parsed in several turns of the event loop.
 * An empty body has no parameters.
 * @throws EngineError `bad_input`, `too_many`; `unsupported_type` if the body is compressed
 */
export async function parseParameters(
  body: Uint8Array,
  contentType: string,
  turns = new LoopTurns(),
): Promise<Record<string, unknown>> {
  const first = firstCharacter(body)
  if (first === undefined) return {}
  if (body[0] === 0x1f && body[1] === 0x8b) {
    const message =
      'the body begins as gzip; send its parameters as JSON or as a form, uncompressed'
    throw new EngineError('unsupported_type', message, { at: 'body' })
  }
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  // curl labels every `-d` body as a form, and some clients send no content type (data-commons.md 2.1). No
  // form starts with a brace, so such a body is JSON.
  const looksLikeJson = first === '{' || first === '['
  if (/^application\/([\w.+-]+\+)?json$/.test(type) || looksLikeJson) {
    return jsonParameters(body, turns)
  }
  if (type === '' || type === 'application/x-www-form-urlencoded') return collect(parseForm(body))
  throw new EngineError(
    'bad_input',
    'the content type of the body is not accepted; send application/json or application/x-www-form-urlencoded',
    { at: 'content-type' },
  )
}

/** Returns the first character after whitespace and a byte order mark, or undefined if there is none. */
function firstCharacter(body: Uint8Array): string | undefined {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  // This is not `find()`, which would call a function for each of possibly millions of spaces.
  while ((body[at] ?? 0xff) <= 0x20) at++
  return at >= body.length ? undefined : String.fromCharCode(body[at] ?? 0)
}

async function jsonParameters(
  body: Uint8Array,
  turns: LoopTurns,
): Promise<Record<string, unknown>> {
  const value = await parseJsonInTurns(body, turns, { maxValues: MAX_PARAMETER_VALUES })
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new EngineError('bad_input', 'the body is JSON but not an object of parameters', {
      at: 'body',
    })
  }
  // Clients serialise unset members as null.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
