import type { Filter } from '../filter/filter.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/** A request to the public interface. The page also shows it to users. */
export interface ServiceRequest {
  readonly path: string
  /** Parameters for the query string. They are sent in the body if the query string would be too long. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly filters?: Filter | undefined
  /** JSON body. Makes the request a POST. */
  readonly body?: Json
  /** Body of newline-delimited JSON. Makes the request a POST whose response has as many lines. */
  readonly lines?: readonly Json[]
  /** Whether the response is a table, returned as text. */
  readonly isTable?: boolean
  readonly credential?: 'token' | 'key'
}

/** A file to send to an operation of the registry. */
interface FileRequest {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Blob
}

/** Thrown if the service rejects a request or cannot be reached. */
export class ServiceError extends Error {
  /** HTTP status, or 0 if there was no response. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.name = 'ServiceError'
    this.status = status
  }
}

/** Secrets of the user, in memory. On request, the tab keeps them too. */
export interface Credentials {
  readonly token: string
  readonly key: string
}

/** Returns the status of an error of the service. Undefined for other errors, and without one. */
export const statusOf = (error: Error | undefined): number | undefined =>
  error instanceof ServiceError ? error.status : undefined

/** The arguments for `fetch`. */
interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Maximum characters of a query string. A longer one becomes a body, as proxies limit request lines to 8 KiB. */
const MAX_QUERY_LENGTH = 2000
/** Maximum number of cached responses. Each has at most some megabytes. */
const MAX_KEPT_ANSWERS = 60

/** Whether the service can be reached, and which release it serves. */
export interface Reach {
  /** Whether the last request got no response. */
  readonly isGone: boolean
  /** Whether another release is served than the one that the page shows. */
  readonly hasNewRelease: boolean
  /** Increases when all that is shown is to be loaded again. */
  readonly round: number
}

const RELEASE_HEADER = 'X-Casemill-Release'

/** Sends the requests of pages. Caches the latest responses, so that the back button shows them at once. */
export class Service {
  readonly #answers = new Map<string, unknown>()
  readonly #followers = new Set<(reach: Reach) => void>()
  #credentials: Credentials
  #reach: Reach = { isGone: false, hasNewRelease: false, round: 0 }
  /** Id of the release that the page shows, and of the latest one that a response named. */
  #shownRelease: string | undefined
  #servedRelease: string | undefined

  constructor(credentials: Credentials = { token: '', key: '' }) {
    this.#credentials = credentials
  }

  get reach(): Reach {
    return this.#reach
  }

  /** Calls a function with each change of `reach`. Returns a function that ends this. */
  follow(follower: (reach: Reach) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Makes all parts of the page send their requests again, for the release that is served now. */
  again(): void {
    if (this.#reach.hasNewRelease) this.#answers.clear()
    this.#shownRelease = this.#servedRelease
    this.#change({ hasNewRelease: false, round: this.#reach.round + 1 })
  }

  /** Takes note that there was no response. */
  miss(): void {
    if (!this.#reach.isGone) this.#change({ isGone: true })
  }

  #hear(response: Response): void {
    const release = response.headers.get(RELEASE_HEADER)
    if (release !== null) {
      this.#servedRelease = release
      this.#shownRelease ??= release
      const hasNewRelease = release !== this.#shownRelease
      if (hasNewRelease !== this.#reach.hasNewRelease) this.#change({ hasNewRelease })
    }
    if (this.#reach.isGone) this.#change({ isGone: false, round: this.#reach.round + 1 })
  }

  #change(changes: Partial<Reach>): void {
    this.#reach = { ...this.#reach, ...changes }
    for (const follower of [...this.#followers]) follower(this.#reach)
  }

  get credentials(): Credentials {
    return this.#credentials
  }

  set credentials(given: Credentials) {
    this.#credentials = given
    this.#answers.clear()
  }

  /** Returns the cached response to an equal request. Undefined if there is none. */
  kept(request: ServiceRequest): unknown {
    return this.#answers.get(JSON.stringify(request))
  }

  /**
   * Returns the response as JSON, as lines of JSON, or as the text of a table. The caller names its type.
   * @throws ServiceError if the service rejects the request or cannot be reached
   */
  async ask<Answer>(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const name = JSON.stringify(request)
    const response = await this.fetch(request, signal)
    const text = await response.text()
    const answer = readAnswer(request, text) as Answer
    this.#answers.delete(name)
    this.#answers.set(name, answer)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_KEPT_ANSWERS) break
      this.#answers.delete(oldest)
    }
    return answer
  }

  /** Does the same as `ask`, but returns the whole response. */
  async fetch(request: ServiceRequest, signal?: AbortSignal): Promise<Response> {
    const { url, method, headers, body } = sentRequest(request, this.#credentials)
    return this.#send(url, { method, headers, ...(body === undefined ? {} : { body }) }, signal)
  }

  /**
   * Sends a file to an operation of the registry. Returns the whole response.
   * @throws ServiceError as `ask` does; AbortError
   */
  post({ path, query, headers, body }: FileRequest, signal: AbortSignal): Promise<Response> {
    const { key } = this.#credentials
    const search = String(new URLSearchParams(query))
    const all = { ...headers, ...(key !== '' && { 'X-SEERAPI-Key': key }) }
    const url = search === '' ? path : `${path}?${search}`
    return this.#send(url, { method: 'POST', headers: all, body }, signal)
  }

  /** @throws ServiceError if the service rejects the request or cannot be reached; AbortError */
  async #send(url: string, request: RequestInit, signal?: AbortSignal): Promise<Response> {
    const sent = await fetch(url, { ...request, ...(signal ? { signal } : {}) }).catch(
      (cause: unknown) => {
        if (signal?.aborted) throw cause
        this.miss()
        throw new ServiceError('The service cannot be reached. Is it still running?', 0)
      },
    )
    this.#hear(sent)
    if (sent.ok) return sent
    throw new ServiceError(await messageOf(sent), sent.status)
  }
}

/** Converts a request to the arguments of `fetch`. */
export function sentRequest(
  request: ServiceRequest,
  { token, key }: Credentials = { token: '', key: '' },
): SentRequest {
  const { path, query = {}, filters, body, lines, credential } = request
  const secret: Record<string, string> = {}
  if (credential === 'key' && key !== '') secret['X-SEERAPI-Key'] = key
  if (credential !== 'key' && token !== '') secret['X-Auth-Token'] = token
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  )
  if (filters) search.set('filters', JSON.stringify(filters))
  const asked = String(search)
  if (lines) {
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/x-ndjson',
      ...secret,
    }
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    return { method: 'POST', url: asked === '' ? path : `${path}?${asked}`, headers, body: text }
  }
  if (body === undefined && asked.length <= MAX_QUERY_LENGTH) {
    const url = asked === '' ? path : `${path}?${asked}`
    return {
      method: 'GET',
      url,
      headers: { Accept: 'application/json', ...secret },
      body: undefined,
    }
  }
  const all = body ?? { ...Object.fromEntries(given), ...(filters && { filters: filters as Json }) }
  const headers = {
    Accept: request.isTable ? 'text/tab-separated-values' : 'application/json',
    'Content-Type': 'application/json',
    ...secret,
  }
  const url = body !== undefined && asked !== '' ? `${path}?${asked}` : path
  return { method: 'POST', url, headers, body: JSON.stringify(all) }
}

function readAnswer({ isTable, lines }: ServiceRequest, text: string): unknown {
  if (isTable) return text
  if (!lines) return JSON.parse(text)
  return jsonLines(text)
}

/** Parses lines of JSON. */
export const jsonLines = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

/** Returns the service's message, which has advice. */
async function messageOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const body = JSON.parse(text) as { message?: unknown; error?: unknown; errors?: unknown }
    if (typeof body.message === 'string') return body.message
    if (typeof body.error === 'string') return body.error
    if (Array.isArray(body.errors)) return body.errors.join(' ')
  } catch {
    // Perhaps a page of a proxy, whose status is more useful than its text.
  }
  return `The service answered with status ${response.status}.`
}
