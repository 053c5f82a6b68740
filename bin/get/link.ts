import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Broken, ResponseError, retrySeconds } from './errors.ts'

/** Bytes of an error's body that are read to find its message. */
const MESSAGE_BYTES = 64 << 10
/** Bytes of a JSON answer; those asked for are far below. */
const JSON_BYTES = 64 << 20
const MAX_REDIRECTS = 5

export interface LinkOptions {
  /** Where the interface's paths begin, with or without a path of its own. */
  readonly server: URL
  readonly token: string | undefined
  /** How long the server may be silent. */
  readonly silenceMs: number
  readonly signal: AbortSignal
}

export interface Ask {
  /** Below the server's address, such as `data/<id>`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Makes it a POST of JSON. */
  readonly json?: unknown
  /** Whether the token goes with it: for bytes alone, all else is open. */
  readonly isGuarded?: boolean
  readonly signal?: AbortSignal
}

/** A 2xx answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Throws Broken when it does not come to its end. */
  readonly body: AsyncIterable<Buffer>
  /** Ends the connection unless the body has been read to its end. */
  close(): void
}

/**
 * Speaks HTTP with one server. The token goes to that server's origin only, whatever it redirects
 * to, and no message holds it.
 */
export class Link {
  readonly #options: LinkOptions
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  }
  /** Answers of any kind so far: a server that gave one is there. */
  answers = 0
  /** Set when a request had no answer in all its tries. */
  isLost = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /**
   * Asks, follows redirects, and resolves at the head of a 2xx answer. Its body must be read to its
   * end or closed.
   * @throws ResponseError for another status, Broken when there is no connection
   */
  async ask(asked: Ask): Promise<Answer> {
    const base = this.#options.server.href.replace(/\/*$/, '/')
    let url = new URL(asked.path, base)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await this.#send(url, asked)
      this.answers++
      const { statusCode: status = 0, headers } = answer
      if (status >= 200 && status < 300) return this.#taken(answer, asked)
      if (status < 300 || status >= 400 || headers.location === undefined) {
        throw await this.#errorOf(answer)
      }
      answer.destroy()
      url = redirected(url, headers.location)
    }
    throw new ResponseError(310, 'the server redirects in a circle')
  }

  async askJson(asked: Ask): Promise<unknown> {
    const { body } = await this.ask(asked)
    const text = await readText(body, JSON_BYTES)
    if (text === undefined)
      throw new ResponseError(200, 'the answer is longer than such a list may be')
    return parsed(text) ?? Promise.reject(new ResponseError(200, 'the answer is not JSON'))
  }

  #send(url: URL, { headers, json, isGuarded, signal }: Ask): Promise<IncomingMessage> {
    const { token, silenceMs, server } = this.#options
    const stop = signal ?? this.#options.signal
    stop.throwIfAborted()
    const isHome = url.origin === server.origin
    const body = json === undefined ? undefined : JSON.stringify(json)
    const isSecure = url.protocol === 'https:'
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method: body === undefined ? 'GET' : 'POST',
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      headers: {
        'User-Agent': 'casemill',
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        ...headers,
        ...(isGuarded && isHome && token !== undefined && { 'X-Auth-Token': token }),
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
      },
    })
    return new Promise((resolve, reject) => {
      let answer: IncomingMessage | undefined
      const end = (error: Error) => (answer ?? sent).destroy(error)
      const onAbort = () => end(stop.reason)
      stop.addEventListener('abort', onAbort)
      sent.setTimeout(silenceMs, () => end(new Broken(`no byte came for ${silenceMs / 1000} s`)))
      sent.on('error', (error) => {
        if (stop.aborted) reject(stop.reason)
        else reject(error instanceof Broken ? error : Broken.by(error))
      })
      sent.on('close', () => stop.removeEventListener('abort', onAbort))
      sent.on('response', (response) => {
        answer = response
        resolve(response)
      })
      sent.end(body)
    })
  }

  #taken(answer: IncomingMessage, asked: Ask): Answer {
    const { statusCode: status = 0, headers } = answer
    const coding = headers['content-encoding'] ?? 'identity'
    if (coding !== 'identity') {
      answer.destroy()
      throw new ResponseError(
        415,
        `the server sends content coding "${coding}", which was not asked for`,
      )
    }
    const body = received(answer, asked.signal ?? this.#options.signal)
    return { status, headers, body, close: () => answer.destroy() }
  }

  /** What the server says of its error, in a form that may be shown. */
  async #errorOf(answer: IncomingMessage): Promise<ResponseError> {
    const { statusCode: status = 0, statusMessage = '', headers } = answer
    const text = (await readText(answer, MESSAGE_BYTES).catch(() => undefined)) ?? ''
    const message = this.#shown(messageOf(text) ?? statusMessage)
    return new ResponseError(
      status,
      message === ''
        ? `the server answered ${status}`
        : `the server answered ${status}: ${message}`,
      retrySeconds(headers['retry-after'], Date.now()),
    )
  }

  #shown(text: string): string {
    const { token } = this.#options
    const secretless = token === undefined ? text : text.replaceAll(token, '[token]')
    return secretless
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, 300)
  }
}

/** The bytes of a body; what ends them early is a broken connection, or the request to stop. */
async function* received(
  answer: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* answer as AsyncIterable<Buffer>
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof Broken ? error : Broken.by(error as NodeJS.ErrnoException)
  }
}

function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isWeb = to?.protocol === 'https:' || to?.protocol === 'http:'
  if (!to || !isWeb || (from.protocol === 'https:' && to.protocol === 'http:')) {
    throw new ResponseError(310, 'the server redirects to an address that is not followed')
  }
  return to
}

async function readText(body: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function messageOf(text: string): string | undefined {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { message, error } = value as { readonly message?: unknown; readonly error?: unknown }
  return [message, error].find((each) => typeof each === 'string')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
