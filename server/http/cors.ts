/** Headers for all origins. The portal is a browser client (data-commons.md 2.1), and no cookies are used. */
const EVERYWHERE: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Content-Disposition, Content-Range, Content-MD5, Content-Length, ETag, ' +
    'Last-Modified, Link, Retry-After, X-Casemill-Release, X-Files-Omitted, X-Request-Id, ' +
    'X-Total-Count, X-Warnings',
})

/** Paths of the GA4GH interfaces, and of the bytes to which their responses refer. */
const STANDARD = /^\/(reads|variants|data|ga4gh)(\/|$)/

/**
 * Responses below STANDARD depend on the client and may be cached. A browser must not reuse links or bytes that
 * one user received for another user, who has another token or none.
 */
const VARIES = ['Vary', 'Origin, X-Auth-Token, Authorization, X-Ticket'] as const

/**
 * Matches an origin as browsers send it. No other text is echoed, because most clients break off the connection
 * if the head of a response is too long.
 */
const ORIGIN = /^(null|[a-z][a-z\d+.-]{0,63}:\/\/[^\s/?#,]{1,300})$/i

/** Returns the CORS headers of a response. Below STANDARD the origin is named (ga4gh.md 4). */
export function corsHeaders(path: string, origin: string | undefined): readonly HeaderPair[] {
  const headers = Object.entries(EVERYWHERE)
  if (!STANDARD.test(path)) return headers
  if (origin === undefined || !ORIGIN.test(origin)) return [...headers, VARIES]
  return [...headers, VARIES, ['Access-Control-Allow-Origin', origin]]
}

type HeaderPair = readonly [name: string, value: string]

const ALLOWED =
  'X-Auth-Token, X-SEERAPI-Key, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, ' +
  'If-Range, If-Unmodified-Since, Range, X-Document-Name, X-Request-Id'

/** 30 days, as htsget requires. */
const MAX_AGE = '2592000'

/** Matches a list of header names. No other text is echoed. */
const NAMES = /^[\w!#$%&'*+.^`|~ ,-]{1,4096}$/

interface Preflight {
  readonly path: string
  readonly headers: Headers
  /** Whether pages of public sites may access a service in a private network. */
  readonly privateNetwork: boolean | null
}

/** Answers OPTIONS on a known path, for preflight requests and others. */
export function preflight(
  allow: readonly string[],
  { path, headers, privateNetwork }: Preflight,
): Response {
  const requested = headers.get('access-control-request-headers') ?? ''
  const isEchoed = STANDARD.test(path) && NAMES.test(requested)
  const isPrivate = headers.get('access-control-request-private-network') === 'true'
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow.join(', '),
      'Access-Control-Allow-Methods': allow.join(', '),
      'Access-Control-Allow-Headers': isEchoed ? requested : ALLOWED,
      'Access-Control-Max-Age': MAX_AGE,
      ...(isPrivate && privateNetwork ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
    },
  })
}
