import type { Given } from './given-parameters.ts'

const KEY = /^[0-9A-Za-z-]{1,64}$/
/** Printable ASCII without what ends an attribute or a cookie. */
const PATH = /^\/[\x21-\x2b\x2d-\x3a\x3c-\x7e]{0,255}$/
/** Of a log-in: no request may end it. */
const NEVER_ENDED: ReadonlySet<string> = new Set(['sessionid'])

/**
 * The header that ends the cookie by which the portal's page waits for a download: it looks each second
 * whether the cookie is gone (data-commons.md 2.1). `undefined` where none is named, or a name or path
 * that no page of the portal sends.
 */
export function downloadCookieEnd(given: Given): string | undefined {
  const { downloadCookieKey: key, downloadCookiePath: path = '/' } = given
  if (typeof key !== 'string' || !KEY.test(key) || NEVER_ENDED.has(key)) return undefined
  // Without cookies the page sends the word.
  if (key === 'null' || typeof path !== 'string' || !PATH.test(path)) return undefined
  return `${key}=; Path=${path}; Max-Age=0`
}
