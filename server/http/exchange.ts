import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Warnings } from '../../engine/shared/index.ts'
import type { FailureTable } from './failure.ts'
import type { NeverIgnored } from './given-parameters.ts'
import type { Arrival, Inflow } from './inflow.ts'

/** What becomes of parameters before an endpoint has them. */
export type CompleteInput = <Input>(input: Input) => Promise<Input>

export type Outcome = 'complete' | 'client gone' | 'stalled' | 'failed'

/** What is known about one request while it is served; one object per request, dropped with it. */
export interface Exchange {
  readonly requestId: string
  readonly startedAt: number
  readonly limits: {
    readonly bodyBytes: number
    readonly bodyRate: number
    readonly stallMilliseconds: number
  }
  readonly inflow: Inflow
  /** Of the request, once it is read; what it holds is given back when the answer begins. */
  body: Arrival | undefined
  /** Sent with every answer, however it is written. */
  readonly headers: ReadonlyMap<string, string>
  /** What is said of the request besides its answer. */
  readonly warnings: Warnings
  /** The headers that end the cookie of a download, once its answer begins (download-cookie.ts). */
  downloadCookieEnds: readonly string[]
  /** The pattern, never the path: ids and queries may hold health data. */
  route: string
  failures: FailureTable
  /** As of the module (compose.ts). */
  neverIgnored: NeverIgnored
  /** As of the module (compose.ts). */
  completeInput: CompleteInput
  /** The hash of the address that counts as the client's; made when it is asked for. */
  readonly client: () => string
  status: number
  bytesSent: number
  /** Whether it was asked by HTTP/1.0 for an answer whose length is known at its end alone. */
  isUnframed: boolean
  outcome: Outcome
}

export interface AppEnv {
  /** Absent when a request is made in process, by `app.request()`. */
  Bindings: Partial<HttpBindings>
  Variables: { exchange: Exchange }
}

export type AppContext = Context<AppEnv>

export function exchangeOf(c: AppContext): Exchange {
  return c.get('exchange')
}

export function incomingOf(c: AppContext): HttpBindings['incoming'] | undefined {
  return (c.env as AppEnv['Bindings'] | undefined)?.incoming
}

/** Hono passes no bindings object at all under `app.request()`, whatever its type says. */
export function outgoingOf(c: AppContext): HttpBindings['outgoing'] | undefined {
  return (c.env as AppEnv['Bindings'] | undefined)?.outgoing
}
