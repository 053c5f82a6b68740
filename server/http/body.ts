import { EngineError } from '../../engine/shared/index.ts'
import { MAX_PARAMETER_VALUES } from '../../engine/shared/internal.ts'
import { collect, parseForm } from './form.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import type { Arrival } from './inflow.ts'
import { parseJsonText } from './json-text.ts'

/** For a body that is held in memory, from its first byte to its last. */
const WHOLE_MILLISECONDS = 300_000

export interface BodyTerms {
  /** Bytes that a body may have that is held in memory. */
  readonly bodyBytes: number
  /** Bytes a second that its sender has to bring, and the time over which that is measured. */
  readonly bodyRate: number
  readonly stallMilliseconds: number
  /** Whether it may be compressed, which its reader sees to then. */
  readonly takesCoded?: boolean
  /** Takes the body up among those of all requests. */
  readonly arrive: (giveUp: (error: EngineError) => void) => Arrival
}

/**
 * The whole request body, never holding more than the limit. What it holds is counted until the
 * arrival is released.
 * @throws EngineError `unsupported_type` for a compressed one; `too_large` as soon as the limit is known
 *   to be passed, `bad_input` when it takes too long to arrive, `busy` when the bodies of all requests
 *   hold too much
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
  // The adapter gives these none; to ask it for one makes a whole Request of the head.
  if (request.method === 'GET' || request.method === 'HEAD') return new Uint8Array(0)
  if (request.body === null) return new Uint8Array(0)
  // Not cancelled when too much comes: that would destroy the socket before the 413 is written. What
  // is left is dropped behind the answer (unread-body.ts).
  const reader = request.body.getReader()
  const patience = new Patience(terms)
  const late = setTimeout(() => patience.giveUp(tooSlow()), milliseconds)
  const gathered = new GatheredBytes(limit)
  try {
    for (;;) {
      const { done, value } = await patience.wait(reader.read())
      if (done) return gathered.take()
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
 * The request body as it arrives, however long it is and takes: for who holds little of it at a time.
 * @throws EngineError `unsupported_type` for a compressed one, unless that is taken; `bad_input` when its sender is slower than
 *   the least rate; what the connection ends with
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
      yield value
    }
  } finally {
    patience.end()
  }
}

/**
 * Looks whether a body is sent as it is.
 * @throws EngineError `unsupported_type` for a compressed one
 */
export function requirePlain(headers: Headers): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return
  const named = JSON.stringify(coding.slice(0, 40))
  const message = `the body has the coding ${named}; send it as it is, without Content-Encoding`
  throw new EngineError('unsupported_type', message, { at: 'content-encoding' })
}

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/**
 * Waits for a body, chunk after chunk, for as long as its sender brings enough. Time in which a
 * chunk is worked on is not the sender's.
 */
class Patience {
  readonly arrival: Arrival
  readonly #terms: BodyTerms
  #timer: NodeJS.Timeout
  // Not one promise that each wait is raced with: that would hold all of their values.
  #reject: (error: EngineError) => void = () => {}
  #verdict: EngineError | undefined
  /** Of the time that is measured: bytes that came, and milliseconds that were waited. */
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
 * Parameters of a JSON or form body by name. An empty body has none.
 * @throws EngineError `bad_input`, `too_many`; `unsupported_type` for a compressed one
 */
export function parseParameters(body: Uint8Array, contentType: string): Record<string, unknown> {
  const first = firstCharacter(body)
  if (first === undefined) return {}
  if (body[0] === 0x1f && body[1] === 0x8b) {
    const message =
      'the body begins as gzip; send its parameters as JSON or as a form, uncompressed'
    throw new EngineError('unsupported_type', message, { at: 'body' })
  }
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  // curl labels every `-d` body as a form, and some clients send no label at all (data-commons.md 2.1).
  // No form starts with a brace, so a body that does is meant as JSON.
  const looksLikeJson = first === '{' || first === '['
  if (/^application\/([\w.+-]+\+)?json$/.test(type) || looksLikeJson) return jsonParameters(body)
  if (type === '' || type === 'application/x-www-form-urlencoded') return collect(parseForm(body))
  throw new EngineError(
    'bad_input',
    'the content type of the body is not accepted; send application/json or application/x-www-form-urlencoded',
    { at: 'content-type' },
  )
}

/** The first that is neither blank nor a byte order mark; undefined when there is none. */
function firstCharacter(body: Uint8Array): string | undefined {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  // Not by find(), which calls for each of millions of blanks.
  while ((body[at] ?? 0xff) <= 0x20) at++
  return at >= body.length ? undefined : String.fromCharCode(body[at] ?? 0)
}

function jsonParameters(body: Uint8Array): Record<string, unknown> {
  const value = parseJsonText(body, 'body', MAX_PARAMETER_VALUES)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new EngineError('bad_input', 'the body is JSON but not an object of parameters', {
      at: 'body',
    })
  }
  // null means absent; clients serialise unset fields so.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
