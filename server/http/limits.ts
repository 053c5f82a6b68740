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

/** Maximum number of clients that each table remembers (see ClientTable). A full table takes 16 MB. */
const PLACES = 100_000

/** A client that a request counts against: an address, a token or a registry key. */
interface Claim {
  readonly kind: 'address' | 'token' | 'key'
  readonly table: ClientTable
  /** The address, or the SHA-256 of the token or registry key. */
  readonly client: string
}

/**
 * Rejects requests over a client's limit before any work, including reading the body. A request counts against
 * its address and also against its token or registry key. A client therefore gains nothing by using many tokens
 * from one address, or one token from many addresses.
 *
 * Tokens are not verified here. Verifying one takes 14 microseconds, while a hash takes less than one. It is
 * also not needed: a forged token has its own count, but the request still counts against the address. Nobody
 * can use up the share of another client without its secret, because clients are distinguished by the SHA-256 of
 * the whole secret. Forged tokens can only make the table of tokens forget other tokens, which takes tens of
 * thousands of requests and gains each forgotten client one more burst (see ClientTable). A rejected request is
 * added to none of the counts.
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
    // Probes and scrapes must succeed even when the service is busiest. `path` is the path that routing uses.
    if (isUnlimited(limits) || /^\/(health\/|metrics$)/.test(c.req.path)) return next()
    const { address, token, key } = clientsOf(c, config)
    const claims: Claim[] = [{ kind: 'address', table: tables.address, client: address }]
    if (token !== undefined) claims.push({ kind: 'token', table: tables.token, client: token })
    if (key !== undefined) claims.push({ kind: 'key', table: tables.key, client: key })
    for (const { kind, table, client } of claims) {
      const excess = table.excess(client, performance.now())
      if (excess === undefined) continue
      metrics.limited(excess.limit, kind)
      throw rateLimited(kind, excess, config)
    }
    for (const { table, client } of claims) table.take(client, performance.now())
    const onWorkEnded = whenOver(c, () => {
      for (const { table, client } of claims) table.giveBack(client, performance.now())
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

/** Returns the address of a request, and the hashes of its token and its registry key if it has them. */
function clientsOf(c: AppContext, { trustedProxies }: LimitOptions['config']) {
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
 * Calls `over` once, when both the handler and the response have ended, in either order: a small response is
 * sent after the handler has returned, but the handler may still run when a client has disconnected. Returns the
 * function to call when the handler has ended.
 */
function whenOver(c: AppContext, over: () => void): () => void {
  const outgoing = outgoingOf(c)
  // A response that is already closed does not emit `close` again.
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
