import { cookieOf } from './cookies.ts'
import { isSentByOwnPage } from './origin.ts'

/** Returns the key of the registry interface as the client sent it. The engine verifies it. */
export function sentKey(headers: Headers): string | undefined {
  return headers.get('x-seerapi-key')?.trim() || undefined
}

/** Cookie that logs in a browser. Its value is the token. */
export const SESSION_COOKIE = 'sessionid'
/** A token of the operator or of a person, with which a browser logs in without an institution. */
const TOKEN = /^(cmp_)?[0-9a-f]{16}_[\w-]{43}$/
/** The session of a person who logged in at an institution. */
const SESSION = /^cms_[0-9a-f]{16}_[\w-]{43}$/

/**
 * Returns the token or session in the session cookie. A cookie of this name that is neither is ignored, because
 * another service on this host may have set it. The cookie is also ignored in a request that may change something,
 * unless a page of this origin sent the request, because `SameSite` does not exclude pages of other hosts of the
 * same site.
 */
export function sessionToken({ headers, method }: Request): string | undefined {
  const sent = cookieOf(headers, SESSION_COOKIE)
  if (sent === undefined) return undefined
  const isSafe = method === 'GET' || method === 'HEAD'
  if (TOKEN.test(sent)) {
    const sender = headers.get('sec-fetch-site') ?? 'same-origin'
    return isSafe || sender === 'same-origin' ? sent : undefined
  }
  return SESSION.test(sent) && (isSafe || isSentByOwnPage(headers)) ? sent : undefined
}

/** Returns the secret of a person's session in the cookie, whatever sent the request. */
export function sessionOf(headers: Headers): string | undefined {
  const sent = cookieOf(headers, SESSION_COOKIE)
  return sent !== undefined && SESSION.test(sent) ? sent : undefined
}

/**
 * Returns the token as the client sent it, from `X-Auth-Token` or `Authorization: Bearer`. It may be any text,
 * also non-ASCII. The engine verifies it, so that an invalid token gives 403.
 */
export function sentToken(headers: Headers): string | undefined {
  const custom = headers.get('x-auth-token')?.trim()
  if (custom) return custom
  const bearer = /^bearer +(.+)$/i.exec(headers.get('authorization')?.trim() ?? '')
  return bearer?.[1]
}
