import type { Given } from './given-parameters.ts'

const KEY = /^[0-9A-Za-z-]{1,64}$/
/** Matches printable ASCII without characters that end an attribute or a cookie. */
const PATH = /^\/[\x21-\x2b\x2d-\x3a\x3c-\x7e]{0,255}$/
/** Session cookies of logins, which no request may delete. */
const NEVER_ENDED: ReadonlySet<string> = new Set(['sessionid'])

/**
 * Returns headers that delete the cookie by which the portal's page waits for a download. The page polls every
 * second until the cookie is gone (data-commons.md 2.1). The page sets the cookie without a path, so the browser
 * uses the folder of the page, and the cookie is deleted there too if the page has the same host. Returns none
 * for a missing cookie, and for a malformed or reserved name or path. Cross-site requests get none either,
 * because another site must not delete the cookies of other services on this host.
 */
export function downloadCookieEnds(given: Given, headers: Headers): readonly string[] {
  if (headers.get('sec-fetch-site') === 'cross-site') return []
  const { downloadCookieKey: key, downloadCookiePath: path = '/' } = given
  if (typeof key !== 'string' || !KEY.test(key) || NEVER_ENDED.has(key)) return []
  // The page sends the word `null` if cookies are disabled.
  if (key === 'null' || typeof path !== 'string' || !PATH.test(path)) return []
  const folder = folderOfPage(headers)
  const paths =
    folder !== undefined && folder !== path && PATH.test(folder) ? [path, folder] : [path]
  return paths.map((one) => `${key}=; Path=${one}; Max-Age=0`)
}

/** Returns the default path of a cookie that the requesting page sets (RFC 6265 section 5.1.4). */
function folderOfPage(headers: Headers): string | undefined {
  const page = URL.parse(headers.get('referer') ?? '')
  if (!page || page.host !== headers.get('host')?.toLowerCase()) return undefined
  return page.pathname.slice(0, Math.max(page.pathname.lastIndexOf('/'), 1))
}
