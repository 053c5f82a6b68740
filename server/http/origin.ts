import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'

/** Matches a host name or address with an optional port. It has no character that is special in HTML or a shell. */
const HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * Returns the origin that the client used, for links in a response. A host that is not safe to paste into a
 * shell is replaced.
 * @example originOf(headers, config) // 'https://data.example.org'
 */
export function originOf(
  headers: Headers,
  { host, port, trustedProxies }: Pick<Config, 'host' | 'port' | 'trustedProxies'>,
): string {
  const given = headers.get('host') ?? ''
  const own = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const isSecure = trustedProxies > 0 && headers.get('x-forwarded-proto') === 'https'
  return `${isSecure ? 'https' : 'http'}://${HOST.test(given) ? given : own}`
}

/**
 * Rejects a request that a page of another site makes the browser send. The response would set a cookie of this
 * site, which could log the user in as someone else, or discard what belongs to the former cookie. Programs
 * other than browsers send neither header.
 * @throws EngineError `forbidden` for such a request
 */
export function requireOwnPage(headers: Headers): void {
  const sender = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwn =
    sender === null
      ? origin === null || URL.parse(origin)?.host === headers.get('host')?.toLowerCase()
      : sender === 'same-origin' || sender === 'none'
  if (isOwn) return
  const message = 'the request is sent by a page of another site; use the page of this one'
  throw new EngineError('forbidden', message)
}

/**
 * Returns whether a browser says that a page of this origin sent the request. A request without a statement is not
 * one, so that a browser that makes none cannot be made to change anything.
 */
export function isSentByOwnPage(headers: Headers): boolean {
  // A browser that loads a link ahead must not follow it for the person.
  if (headers.get('sec-purpose')?.startsWith('prefetch')) return false
  const sender = headers.get('sec-fetch-site')
  if (sender !== null) return sender === 'same-origin'
  const page = headers.get('origin') ?? headers.get('referer')
  const host = headers.get('host')?.toLowerCase()
  return page !== null && host !== undefined && URL.parse(page)?.host === host
}

/**
 * Rejects a request that no page of this origin sent, for reading requests that change something.
 * @throws EngineError `forbidden` for such a request
 */
export function requireSentByOwnPage(headers: Headers): void {
  if (isSentByOwnPage(headers)) return
  const message =
    'this address only works from a page of this service; open the page and use its link'
  throw new EngineError('forbidden', message)
}
