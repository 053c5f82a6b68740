import { cookieOf } from './cookies.ts'

/** Returns the key of the registry interface as sent. The engine verifies it. */
export function sentKey(headers: Headers): string | undefined {
  return headers.get('x-seerapi-key')?.trim() || undefined
}

/** Cookie that logs in a browser. Its value is the token. */
export const SESSION_COOKIE = 'sessionid'
const TOKEN = /^[0-9a-f]{16}_[\w-]{43}$/

/**
 * Returns the token of the session cookie. Ignores a cookie of this name that is not a token, because another
 * service on this host may have set it. Also ignores it in a request that may change something, unless a page
 * of this origin sent the request: `SameSite` does not exclude pages of other hosts of the same site.
 */
export function sessionToken({ headers, method }: Request): string | undefined {
  const sender = headers.get('sec-fetch-site') ?? 'same-origin'
  const isSafe = method === 'GET' || method === 'HEAD'
  if (!isSafe && sender !== 'same-origin') return undefined
  const sent = cookieOf(headers, SESSION_COOKIE)
  return sent !== undefined && TOKEN.test(sent) ? sent : undefined
}

/**
 * Returns the token as sent, from `X-Auth-Token` or `Authorization: Bearer`. It may be any text, including
 * non-ASCII: the engine verifies it, so that an invalid one gives 403.
 */
export function sentToken(headers: Headers): string | undefined {
  const custom = headers.get('x-auth-token')?.trim()
  if (custom) return custom
  const bearer = /^bearer +(.+)$/i.exec(headers.get('authorization')?.trim() ?? '')
  return bearer?.[1]
}
