import type { Filter } from '../filter/filter.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/** A request of the public interface, in the form that it is shown in, too. */
export interface ServiceRequest {
  readonly path: string
  /** What goes into the query string, or into the body where that would be too long. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly filters?: Filter | undefined
  /** Makes it a POST of JSON. */
  readonly body?: Json
  /** Makes it a POST of newline-delimited JSON; the answer has as many lines. */
  readonly lines?: readonly Json[]
  /** The answer is a table, taken as text. */
  readonly isTable?: boolean
  readonly credential?: 'token' | 'key'
}

/** The service said no, or could not be reached. */
export class ServiceError extends Error {
  /** 0 when there was no answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.name = 'ServiceError'
    this.status = status
  }
}

/** Secrets of the person at the page. They are in memory alone, and gone with the page. */
export interface Credentials {
  readonly token: string
  readonly key: string
}

/** As sent: `fetch` takes it. */
export interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Longer query strings go as a body: proxies bound request lines at 8 KiB. */
const MAX_QUERY_LENGTH = 2000
/** Answers kept for the way back; each is at most some MB. */
const MAX_KEPT_ANSWERS = 60

/** What the pages ask. It keeps the newest answers, so that going back shows them at once. */
export class Service {
  readonly #answers = new Map<string, unknown>()
  #credentials: Credentials = { token: '', key: '' }

  get credentials(): Credentials {
    return this.#credentials
  }

  set credentials(given: Credentials) {
    this.#credentials = given
    this.#answers.clear()
  }

  /** The kept answer to an equal request, if there is one. */
  kept(request: ServiceRequest): unknown {
    return this.#answers.get(JSON.stringify(request))
  }

  /**
   * The answer's JSON, lines of it, or a table's text. Its form is the interface's; whoever asks names it.
   * @throws ServiceError when the service refuses or cannot be reached
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

  /** As `ask`, the whole answer. */
  async fetch(request: ServiceRequest, signal?: AbortSignal): Promise<Response> {
    const { url, method, headers, body } = sentRequest(request, this.#credentials)
    const sent = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause
      throw new ServiceError('The service cannot be reached. Is it still running?', 0)
    })
    if (sent.ok) return sent
    throw new ServiceError(await messageOf(sent), sent.status)
  }
}

/** What is sent for a request. */
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
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

/** The service's own words; they say what to do. */
async function messageOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const said = JSON.parse(text) as { message?: unknown; error?: unknown; errors?: unknown }
    if (typeof said.message === 'string') return said.message
    if (typeof said.error === 'string') return said.error
    if (Array.isArray(said.errors)) return said.errors.join(' ')
  } catch {
    // A proxy's page: its status says more than its text.
  }
  return `The service answered with status ${response.status}.`
}
