import { EngineError } from '../../engine/index.ts'
import { collect, parseForm } from './form.ts'
import { parseJsonText } from './json-text.ts'

/** For a body that is held in memory, from its first byte to its last. */
const WHOLE_MILLISECONDS = 300_000

/**
 * The whole request body, never holding more than the limit.
 * @throws EngineError `too_large` as soon as the limit is known to be passed, `bad_input` when it takes
 *   too long to arrive
 */
export async function readBody(
  request: Request,
  limit: number,
  milliseconds = WHOLE_MILLISECONDS,
): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  if (request.body === null) return new Uint8Array(0)
  // Not cancelled when too much comes: that would destroy the socket before the 413 is written.
  // The adapter drains what is left, within bounds of its own.
  const reader = request.body.getReader()
  const patience = new Patience(milliseconds)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await patience.wait(reader.read())
      if (done) return Buffer.concat(chunks, length)
      length += value.byteLength
      if (length > limit) throw tooLarge(limit)
      chunks.push(value)
    }
  } finally {
    patience.end()
  }
}

/**
 * The request body as it arrives, however long it is and takes: for who holds little of it at a time.
 * @param stallMilliseconds after which a sender who sends nothing is given up
 * @throws EngineError `bad_input` then; what the connection ends with
 */
export async function* bodyChunks(
  request: Request,
  stallMilliseconds = WHOLE_MILLISECONDS,
): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return
  const patience = new Patience(stallMilliseconds)
  try {
    for (;;) {
      // What the taker of the last chunk took was not the sender's time.
      patience.renew()
      const { done, value } = await patience.wait(reader.read())
      if (done) return
      yield value
    }
  } finally {
    patience.end()
  }
}

/** Waits for one thing after the other, for as long as that is bearable. */
class Patience {
  readonly #timer: NodeJS.Timeout
  // Not one promise that each wait is raced with: that would hold all of their values.
  #giveUp: (error: EngineError) => void = () => {}
  #isOver = false

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#giveUp(tooSlow())
    }, milliseconds)
  }

  wait<T>(value: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      if (this.#isOver) reject(tooSlow())
      value.then(resolve, reject)
    })
  }

  renew(): void {
    this.#isOver = false
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

function tooSlow(): EngineError {
  return new EngineError('bad_input', 'the request took too long to arrive; send it anew')
}

function tooLarge(limit: number): EngineError {
  return new EngineError('too_large', `the request body is larger than the limit of ${limit} bytes`)
}

/** Parameters of a JSON or form body by name. An empty body has none. */
export function parseParameters(body: Uint8Array, contentType: string): Record<string, unknown> {
  const first = firstCharacter(body)
  if (first === undefined) return {}
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  // curl labels every `-d` body as a form, and some clients send no label at all (contract 2.1).
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
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  const found = body.subarray(start).find((byte) => byte > 0x20)
  return found === undefined ? undefined : String.fromCharCode(found)
}

function jsonParameters(body: Uint8Array): Record<string, unknown> {
  const value = parseJsonText(body, 'body')
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new EngineError('bad_input', 'the body is JSON but not an object of parameters', {
      at: 'body',
    })
  }
  // null means absent; clients serialise unset fields that way.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
