import { getPath } from 'hono/utils/url'

/**
 * The path that routing sees. Real clients send doubled slashes, trailing slashes and the `/v0` prefix
 * (data-commons.md 2.1), the portal's pages `/auth/api/v0` (docs/reference/sets.md). `/v1` and `/legacy` stay as they
 * are and therefore match no route.
 * @example routingPath(new Request('http://host//v0/files/')) // '/files'
 */
export function routingPath(request: Request): string {
  const path = singleSlashes(request)
    // A decoded line break would pass the router's patterns, in which `.` does not match it.
    .replace(/[\p{Cc}\u2028\u2029]/gu, encodeURIComponent)
  const unprefixed = path.slice(versionPrefix(request).length)
  const bare = unprefixed.endsWith('/') ? unprefixed.slice(0, -1) : unprefixed
  return bare === '' ? '/' : bare
}

/** Returns the prefix that routing removes. Links in a response start with it, as the request did. */
export function versionPrefix(request: Request): string {
  return /^(\/auth\/api)?\/v0(?=\/|$)/.exec(singleSlashes(request))?.[0] ?? ''
}

/**
 * Returns whether a request came to the address of the public portal's pages. They take any member of `warnings` for
 * a failure (data-commons.md 11.36).
 */
export const isOfPortal = (request: Request): boolean => versionPrefix(request).startsWith('/auth/')

const singleSlashes = (request: Request) => getPath(request).replace(/\/{2,}/g, '/')
