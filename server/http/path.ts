import { getPath } from 'hono/utils/url'

/**
 * Returns the path that routing uses. Real clients send doubled slashes, trailing slashes and the prefix `/v0`
 * (data-commons.md 2.1), and the portal's pages send `/auth/api/v0` (docs/reference/sets.md). `/v1` and
 * `/legacy` are kept, so they match no route.
 * @example routingPath(new Request('http://host//v0/files/')) // '/files'
 */
export function routingPath(request: Request): string {
  const path = singleSlashes(request)
    // In the router's patterns, `.` does not match a line break, so a decoded line break would match no pattern.
    .replace(/[\p{Cc}\u2028\u2029]/gu, encodeURIComponent)
  const unprefixed = path.slice(versionPrefix(request).length)
  const bare = unprefixed.endsWith('/') ? unprefixed.slice(0, -1) : unprefixed
  return bare === '' ? '/' : bare
}

/** Returns the prefix that routing removes. Links in the response start with the same prefix as the request. */
export function versionPrefix(request: Request): string {
  return /^(\/auth\/api)?\/v0(?=\/|$)/.exec(singleSlashes(request))?.[0] ?? ''
}

/**
 * Returns whether a request came to the address that the public portal's pages use. These pages treat any member
 * of `warnings` as a failure (data-commons.md 11.36).
 */
export const isOfPortal = (request: Request): boolean => versionPrefix(request).startsWith('/auth/')

const singleSlashes = (request: Request) => getPath(request).replace(/\/{2,}/g, '/')
