import type { Config } from '../config.ts'

/** A name or address with or without a port. Nothing of it means anything to HTML or to a shell. */
const HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * The address that the client used, for links in an answer. A host that cannot be pasted into a shell is
 * not repeated.
 *
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
