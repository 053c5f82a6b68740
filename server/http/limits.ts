import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { clientAddress } from './client-address.ts'
import { ClientTable, type Excess } from './client-table.ts'
import { type AppContext, type AppEnv, outgoingOf } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import { sentKey, sentToken } from './token.ts'

interface LimitOptions {
  readonly config: Pick<
    Config,
    'ratePerMinute' | 'rateBurst' | 'concurrentRequests' | 'trustedProxies'
  >
  readonly metrics: Pick<Metrics, 'limited'>
}

/** Number of remembered addresses, and of tokens and keys; 16 MB each if all places are taken. */
const PLACES = 100_000

/** A client that a request counts against. */
interface Claim {
  readonly kind: 'address' | 'token' | 'key'
  readonly table: ClientTable
  readonly key: string
}

/**
 * Rejects requests over a client's limit before any work, including reading the body. A request counts
 * against its address and against its token or registry key, so that neither many tokens nor many addresses
 * help.
 *
 * Tokens are not verified here. That would take 14 microseconds per request instead of less than one for a
 * hash, and is not needed: a forged token gets its own count, but the address still counts, so nothing is
 * gained. Nobody can use up another client's share, because the key is the SHA-256 of the whole secret.
 * Forged tokens can only evict others from the table of tokens, which is hard to fill (see ClientTable). A
 * rejected request uses neither count.
 */
export function limitClients(options: LimitOptions): MiddlewareHandler<AppEnv> {
  const { config, metrics } = options
  const limits = {
    perMinute: config.ratePerMinute,
    burst: config.rateBurst,
    concurrent: config.concurrentRequests,
  }
  const tables = {
    address: new ClientTable(limits, PLACES),
    token: new ClientTable(limits, PLACES),
    key: new ClientTable(limits, PLACES),
  }
  return async (c, next) => {
    // Probes and scrapes must pass even when the service is busiest. `path` is the one used for routing.
    if (isUnlimited(limits) || /^\/(health\/|metrics$)/.test(c.req.path)) return next()
    const { address, token, key } = keysOf(c, config)
    const claims: Claim[] = [{ kind: 'address', table: tables.address, key: address }]
    if (token !== undefined) claims.push({ kind: 'token', table: tables.token, key: token })
    if (key !== undefined) claims.push({ kind: 'key', table: tables.key, key })
    for (const { kind, table, key } of claims) {
      const excess = table.excess(key, performance.now())
      if (excess === undefined) continue
      metrics.limited(excess.limit, kind)
      throw rateLimited(kind, excess, config)
    }
    for (const { table, key } of claims) table.take(key, performance.now())
    const onWorkEnded = whenOver(c, () => {
      for (const { table, key } of claims) table.giveBack(key, performance.now())
    })
    try {
      await next()
    } finally {
      onWorkEnded()
    }
  }
}

function isUnlimited({ perMinute, concurrent }: { perMinute: number; concurrent: number }) {
  return perMinute === 0 && concurrent === 0
}

function keysOf(c: AppContext, { trustedProxies }: LimitOptions['config']) {
  const incoming = (c.env as AppEnv['Bindings'] | undefined)?.incoming
  const address = clientAddress({
    socket: incoming?.socket.remoteAddress,
    forwarded: c.req.header('x-forwarded-for'),
    trustedProxies,
  })
  const hashed = (secret: string | undefined) =>
    secret && createHash('sha256').update(secret).digest('base64')
  const { headers } = c.req.raw
  return { address, token: hashed(sentToken(headers)), key: hashed(sentKey(headers)) }
}

/**
 * Calls `over` once, when both the work and the response have ended. Small responses are sent after the work,
 * and a client that leaves early may leave work behind. Returns the function to call at the end of the work.
 */
function whenOver(c: AppContext, over: () => void): () => void {
  const outgoing = outgoingOf(c)
  // A closed response does not emit the event again.
  let left = outgoing === undefined || outgoing.closed ? 1 : 2
  const onEnded = () => {
    left -= 1
    if (left === 0) over()
  }
  if (left === 2) outgoing?.once('close', onEnded)
  return onEnded
}

function rateLimited(kind: Claim['kind'], { seconds }: Excess, config: LimitOptions['config']) {
  const message =
    seconds === undefined
      ? `this ${kind} has ${config.concurrentRequests} requests under way, and no more are answered at the same time; try again when one has ended`
      : `this ${kind} has sent more than ${config.ratePerMinute} requests a minute; try again in ${seconds} s`
  const details = seconds === undefined ? {} : { retryAfterSeconds: seconds }
  return new EngineError('rate_limited', message, details)
}
