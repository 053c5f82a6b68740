import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Broken, ResponseError, retrySeconds } from './errors.ts'

/** Bytes of an error body that are read to find its message. */
const MESSAGE_BYTES = 64 << 10
/** Maximum size of a JSON response in bytes. Responses of the interface are far smaller. */
const JSON_BYTES = 64 << 20
const MAX_REDIRECTS = 5

interface LinkOptions {
  /** Base URL of the interface, with or without a path. */
  readonly server: URL
  readonly token: string | undefined
  /** Longest silence of the server in milliseconds. */
  readonly silenceMs: number
  readonly signal: AbortSignal
}

interface Ask {
  /** Path below the base URL, such as `data/<id>`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON body. Makes the request a POST. */
  readonly json?: unknown
  /** Whether to send the token. Only requests for bytes need it. */
  readonly isGuarded?: boolean
  readonly signal?: AbortSignal
}

/** A response with a 2xx status. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Body of the response. Throws Broken if it ends early. */
  readonly body: AsyncIterable<Buffer>
  /** Closes the connection unless the body was read to its end. */
  close(): void
}

/**
 * HTTP client for one server. The token is sent only to the server's own origin, never after a redirect to
 * another origin, and never appears in messages.
 */
export class Link {
  readonly #options: LinkOptions
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  }
  /** Number of responses of any kind. It shows whether the server can be reached. */
  answers = 0
  /** Set when all attempts of one request got no response. */
  isLost = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /**
   * Sends a request, follows redirects, and resolves with the head of a 2xx response. The caller must read
   * the body to its end or close it.
   * @throws ResponseError for another status, Broken if the connection fails
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
      throw new ResponseError(200, 'the response is longer than the limit for such a list')
    return parsed(text) ?? Promise.reject(new ResponseError(200, 'the response is not JSON'))
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
        `the server sends content coding "${coding}", which was not requested`,
      )
    }
    const body = received(answer, asked.signal ?? this.#options.signal)
    return { status, headers, body, close: () => answer.destroy() }
  }

  /** Creates the error with the server's message, made safe for display. */
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

/**
 * Yields the bytes of a body.
 * @throws Broken if it ends early; the signal's reason
 */
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
    throw new ResponseError(310, 'the server redirects to an address that casemill does not follow')
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
