import { createHash, randomUUID } from 'node:crypto'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { MiddlewareHandler } from 'hono'
import { Warnings } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { clientAddress } from './client-address.ts'
import { corsHeaders } from './cors.ts'
import { type AppContext, type AppEnv, type Exchange, exchangeOf, incomingOf } from './exchange.ts'
import type { FailureTable } from './failure.ts'
import type { Inflow } from './inflow.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { isOfPortal } from './path.ts'

export interface Observers {
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly inflow: Inflow
  /** Returns whether the server accepts work. False once it is stopping: responses then have `Connection: close`. */
  readonly ready: () => boolean
  readonly failuresFor: (path: string) => FailureTable
}

/** Bodies contain data of other users, so browsers must not guess their content type. */
export const NO_SNIFFING = Object.freeze(['X-Content-Type-Options', 'nosniff'] as const)

const OLD_PROTOCOL =
  'asked by HTTP/1.0, which has no way to send an answer of unknown length: it is held, and refused if it is long; have the proxy speak HTTP/1.1 (nginx: proxy_http_version 1.1)'

/**
 * The outermost middleware. It gives each request an id and common headers, and writes one log line and
 * counts the request when the response is done. The log contains the route's pattern, never the path or
 * query.
 */
export function observe(observers: Observers): MiddlewareHandler<AppEnv> {
  const { log, metrics } = observers
  let isOldLogged = false
  return async (c, next) => {
    const exchange = openExchange(c, observers)
    c.set('exchange', exchange)
    metrics.begin()
    // No `finally` is needed, because errors have become responses when next() returns.
    await next()
    exchange.body?.release()
    if (c.res !== RESPONSE_ALREADY_SENT) complete(c, exchange)
    const milliseconds = performance.now() - exchange.startedAt
    metrics.finish(c.req.method, exchange, milliseconds / 1000)
    const { requestId, route, status, bytesSent: bytes, outcome } = exchange
    if (exchange.isUnframed && !isOldLogged) {
      isOldLogged = true
      log.warn({ requestId, route }, OLD_PROTOCOL)
    }
    // Probes and scrapes arrive every few seconds and are logged at debug level.
    const level = /^\/(health|metrics)\b/.test(route) ? 'debug' : 'info'
    log[level](
      {
        requestId,
        method: c.req.method,
        route,
        status,
        bytes,
        milliseconds: Math.round(milliseconds * 10) / 10,
        outcome,
      },
      'request',
    )
  }
}

function openExchange(c: AppContext, { config, inflow, ready, failuresFor }: Observers): Exchange {
  const given = c.req.header('x-request-id') ?? ''
  const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
  return {
    requestId,
    startedAt: performance.now(),
    limits: {
      bodyBytes: config.bodyBytes,
      bodyRate: config.bodyRate,
      stallMilliseconds: config.stallSeconds * 1000,
    },
    inflow,
    body: undefined,
    headers: new Map([
      ...corsHeaders(c.req.path, c.req.header('origin')),
      NO_SNIFFING,
      ['X-Request-Id', requestId],
      ...(ready() ? [] : ([['Connection', 'close']] as const)),
    ]),
    route: 'unmatched',
    warnings: new Warnings({ isHeaderOnly: isOfPortal(c.req.raw) }),
    failures: failuresFor(c.req.path),
    neverIgnored: {},
    completeInput: async (input) => input,
    granted: () => {},
    record: async () => {},
    client: () => clientOf(c, config),
    downloadCookieEnds: [],
    status: 0,
    bytesSent: 0,
    isUnframed: false,
    outcome: 'complete',
  }
}

function clientOf(c: AppContext, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  const address = clientAddress({
    socket: incomingOf(c)?.socket.remoteAddress,
    forwarded: c.req.header('x-forwarded-for'),
    trustedProxies,
  })
  return createHash('sha256').update(address).digest('hex').slice(0, 32)
}

function complete(c: AppContext, exchange: Exchange): void {
  for (const [name, value] of exchange.headers) {
    // Adds to the response's own `Vary`.
    if (name === 'Vary') c.res.headers.append(name, value)
    else c.res.headers.set(name, value)
  }
  exchange.status = c.res.status
  if (c.req.method === 'HEAD') return
  exchange.bytesSent = Number(c.res.headers.get('content-length') ?? 0)
}

/** Logs an exception that is caused by a bug in this program. */
export function logFailure(c: AppContext, log: Log, thrown: unknown): void {
  const { requestId, route } = exchangeOf(c)
  log.error({ requestId, method: c.req.method, route, err: thrown }, 'request failed')
}
