import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Grant, Warnings } from '../../engine/shared/index.ts'
import type { FailureTable } from './failure.ts'
import type { NeverIgnored } from './given-parameters.ts'
import type { Arrival, Inflow } from './inflow.ts'

/** Completes the parameters before an endpoint receives them. */
export type CompleteInput = <Input>(input: Input) => Promise<Input>

type Outcome = 'complete' | 'client gone' | 'stalled' | 'failed'

/** State of one request during its processing. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  readonly limits: {
    readonly bodyBytes: number
    readonly bodyRate: number
    readonly stallMilliseconds: number
  }
  readonly inflow: Inflow
  /** Body of the request, once it has been read. Its memory is released when the response begins. */
  body: Arrival | undefined
  /** Headers that every response gets. */
  readonly headers: ReadonlyMap<string, string>
  /** Warnings about the request. */
  readonly warnings: Warnings
  /** Headers that delete the cookie of a download, sent with the response (download-cookie.ts). */
  downloadCookieEnds: readonly string[]
  /** Pattern of the route. Never the path, because ids and queries may contain health data. */
  route: string
  failures: FailureTable
  /** The module's parameters that must not be ignored (compose.ts). */
  neverIgnored: NeverIgnored
  /** The module's completion of parameters (compose.ts). */
  completeInput: CompleteInput
  /** Notes controlled data that the engine cannot note itself (recorder.ts). */
  granted: (grant: Grant) => void
  /**
   * Records the granted data of an answer. Called before the head is written; if it rejects, nothing is sent.
   * @param bytes length of the body, if it is known
   */
  record: (status: number, bytes: number | undefined) => Promise<void>
  /** Returns the hash of the client's address, which is computed on first use. */
  readonly client: () => string
  status: number
  bytesSent: number
  /** Whether the client uses HTTP/1.0 and the length is known only after the last byte. */
  isUnframed: boolean
  outcome: Outcome
}

export interface AppEnv {
  /** Absent if a request is made in process, by `app.request()`. */
  Bindings: Partial<HttpBindings>
  Variables: { exchange: Exchange }
}

export type AppContext = Context<AppEnv>

/** Returns the state of the current request. */
export function exchangeOf(c: AppContext): Exchange {
  return c.get('exchange')
}

export function incomingOf(c: AppContext): HttpBindings['incoming'] | undefined {
  return (c.env as AppEnv['Bindings'] | undefined)?.incoming
}

/** Returns the outgoing message. Hono passes no bindings under `app.request()`, despite its type. */
export function outgoingOf(c: AppContext): HttpBindings['outgoing'] | undefined {
  return (c.env as AppEnv['Bindings'] | undefined)?.outgoing
}
