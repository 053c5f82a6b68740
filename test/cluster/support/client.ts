import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request to a service. */
export interface Question {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer<ArrayBuffer>
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

/** Sends a request once. @throws Unanswered */
export async function askOnce(origin: string, question: Question): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body } = question
  const signal = AbortSignal.timeout(MAX_SECONDS * 1000)
  try {
    const request = { method, headers, signal, ...(body !== undefined && { body }) }
    const response = await fetch(`${origin}${path}`, request)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (PASSING.has(response.status)) throw new Error(`status ${response.status}`)
    return { status: response.status, headers: response.headers, bytes }
  } catch (cause) {
    throw new Unanswered(`${method} ${path}: ${reasonOf(cause)}`, { cause })
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
