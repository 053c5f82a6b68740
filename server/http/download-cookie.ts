import type { Given } from './given-parameters.ts'

const KEY = /^[0-9A-Za-z-]{1,64}$/
/** Printable ASCII without what ends an attribute or a cookie. */
const PATH = /^\/[\x21-\x2b\x2d-\x3a\x3c-\x7e]{0,255}$/
/** Of a log-in: no request may end it. */
const NEVER_ENDED: ReadonlySet<string> = new Set(['sessionid'])

/**
 * The headers that end the cookie by which the portal's page waits for a download: it looks each second
 * whether the cookie is gone (data-commons.md 2.1). The page names no path when it sets the cookie, so that a browser
 * gives it the page's folder: what lies there is ended too, where the page is of the same host. None where no cookie
 * is named, or a name or path that no page of the portal sends.
 */
export function downloadCookieEnds(given: Given, headers: Headers): readonly string[] {
  const { downloadCookieKey: key, downloadCookiePath: path = '/' } = given
  if (typeof key !== 'string' || !KEY.test(key) || NEVER_ENDED.has(key)) return []
  // Without cookies the page sends the word.
  if (key === 'null' || typeof path !== 'string' || !PATH.test(path)) return []
  const folder = folderOfPage(headers)
  const paths =
    folder !== undefined && folder !== path && PATH.test(folder) ? [path, folder] : [path]
  return paths.map((one) => `${key}=; Path=${one}; Max-Age=0`)
}

/** The path that a browser gives a cookie of the page that asked (RFC 6265, 5.1.4). */
function folderOfPage(headers: Headers): string | undefined {
  const page = URL.parse(headers.get('referer') ?? '')
  if (!page || page.host !== headers.get('host')?.toLowerCase()) return undefined
  return page.pathname.slice(0, Math.max(page.pathname.lastIndexOf('/'), 1))
}
