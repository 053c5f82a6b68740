import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request to a service. */
export interface Question {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer<ArrayBuffer>
  /**
   * How the answer comes to be: `resumed` is broken off in the middle and continued with a range, of a `ticket` all
   * parts are fetched. Otherwise it is one whole answer.
   */
  readonly how?: 'resumed' | 'ticket'
}

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** There was no answer, or an incomplete one, because of the network, a node or the balancer. */
export class Unanswered extends Error {}

/** Statuses of the balancer, or of a service that is unavailable at the moment. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504])

const MAX_SECONDS = 60

/**
 * Sends a request once. Redirects are not followed.
 * @param half whether to break the connection after half of the body
 * @throws Unanswered
 */
export async function askOnce(
  origin: string,
  question: Question,
  { half = false }: { readonly half?: boolean } = {},
): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body } = question
  const signal = AbortSignal.timeout(MAX_SECONDS * 1000)
  try {
    const request = {
      method,
      headers,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    } as const
    const response = await fetch(`${origin}${path}`, request)
    const bytes = half ? await halfOf(response) : Buffer.from(await response.arrayBuffer())
    if (PASSING.has(response.status)) throw new Error(`status ${response.status}`)
    return { status: response.status, headers: response.headers, bytes }
  } catch (cause) {
    throw new Unanswered(`${method} ${path}: ${reasonOf(cause)}`, { cause })
  }
}

async function halfOf({ headers, body }: Response): Promise<Buffer> {
  const half = Math.floor(Number(headers.get('content-length')) / 2)
  const chunks: Uint8Array[] = []
  let taken = 0
  // Leaving the loop ends the connection.
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    taken += chunk.length
    if (taken >= half) break
  }
  if (taken < half) throw new Error('the body is too short')
  return Buffer.concat(chunks).subarray(0, half)
}

/** Sends a request in its way. @throws Unanswered */
export function askInWay(origin: string, question: Question): Promise<Answer> {
  if (question.how === 'resumed') return askResumed(origin, question)
  return question.how === 'ticket' ? askTicket(origin, question) : askOnce(origin, question)
}

/** Breaks an answer off in the middle, and continues it, perhaps on another node. */
async function askResumed(origin: string, question: Question): Promise<Answer> {
  const broken = await askOnce(origin, question, { half: true })
  const tag = broken.headers.get('etag')
  if (broken.status >= 300 || tag === null) throw new Unanswered(`${question.path}: no validator`)
  const start = broken.bytes
  const headers = { ...question.headers, Range: `bytes=${start.length}-`, 'If-Range': tag }
  const rest = await askOnce(origin, { ...question, headers })
  // The validator has changed, so the answer is sent from its beginning.
  if (!rest.headers.has('content-range')) return rest
  return { ...broken, bytes: Buffer.concat([start, rest.bytes]) }
}

/** Fetches a ticket of htsget and all of its parts. */
async function askTicket(origin: string, question: Question): Promise<Answer> {
  const ticket = await askOnce(origin, question)
  if (ticket.status !== 200) return ticket
  const { htsget } = JSON.parse(ticket.bytes.toString()) as Ticket
  const parts: Buffer[] = []
  for (const { url, headers = {} } of htsget.urls) {
    const [, inline] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
    if (inline !== undefined) {
      parts.push(Buffer.from(inline, 'base64'))
      continue
    }
    const { pathname, search } = new URL(url)
    const part = await askOnce(origin, { path: pathname + search, headers })
    if (part.status >= 300) return part
    parts.push(part.bytes)
  }
  return { ...ticket, bytes: Buffer.concat(parts) }
}

interface Ticket {
  readonly htsget: {
    readonly urls: readonly {
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
    }[]
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
}

/** How often a patient client had to repeat requests. */
export interface Patience {
  /** The number of repeated requests. */
  again: number
}

const PAUSE_MILLISECONDS = 250

/**
 * Repeats an idempotent action until it is answered, as a patient client does.
 * @throws Unanswered what the last one said, when none was answered for `seconds`
 */
export async function insist<Result>(
  attempt: () => Promise<Result>,
  seconds: number,
  patience: Patience,
): Promise<Result> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Unanswered) || performance.now() > end) throw error
      patience.again++
      await sleep(PAUSE_MILLISECONDS)
    }
  }
}

export const sumOf = (bytes: Uint8Array) => hash('sha256', bytes)
