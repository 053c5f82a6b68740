/** The portal is a browser client (data-commons.md 2.1). No cookies are used, so any origin may ask. */
const EVERYWHERE: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Content-Disposition, Content-Range, Content-MD5, Content-Length, ETag, ' +
    'Last-Modified, Link, Retry-After, X-Casemill-Release, X-Files-Omitted, X-Request-Id, ' +
    'X-Total-Count, X-Warnings',
})

/** Where clients of the GA4GH's interfaces ask, and where the bytes are that they are sent to. */
const STANDARD = /^\/(reads|variants|data|ga4gh)(\/|$)/

/**
 * Below STANDARD an answer depends on who asks, and many last for a while: a browser must not keep one
 * user's links or bytes for the next one, who sends another token or none.
 */
const VARIES = ['Vary', 'Origin, X-Auth-Token, Authorization, X-Ticket'] as const

/** What answers have for a page of another origin. Below STANDARD that origin is named (ga4gh.md 4). */
export function corsHeaders(path: string, origin: string | undefined): readonly HeaderPair[] {
  const headers = Object.entries(EVERYWHERE)
  if (!STANDARD.test(path)) return headers
  if (origin === undefined) return [...headers, VARIES]
  return [...headers, VARIES, ['Access-Control-Allow-Origin', origin]]
}

type HeaderPair = readonly [name: string, value: string]

const ALLOWED =
  'X-Auth-Token, X-SEERAPI-Key, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, ' +
  'If-Range, If-Unmodified-Since, Range, X-Document-Name, X-Request-Id'

/** 30 days, as htsget wants it. */
const MAX_AGE = '2592000'

/** A list of names of headers; nothing else is repeated. */
const NAMES = /^[\w!#$%&'*+.^`|~ ,-]{1,4096}$/

interface Preflight {
  readonly path: string
  readonly headers: Headers
  /** Whether pages of public sites may ask a service in a private network. */
  readonly privateNetwork: boolean | null
}

/** Answers OPTIONS on a known path, preflight or not. */
export function preflight(
  allow: readonly string[],
  { path, headers, privateNetwork }: Preflight,
): Response {
  const asked = headers.get('access-control-request-headers') ?? ''
  const isEchoed = STANDARD.test(path) && NAMES.test(asked)
  const isPrivate = headers.get('access-control-request-private-network') === 'true'
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow.join(', '),
      'Access-Control-Allow-Methods': allow.join(', '),
      'Access-Control-Allow-Headers': isEchoed ? asked : ALLOWED,
      'Access-Control-Max-Age': MAX_AGE,
      ...(isPrivate && privateNetwork ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
    },
  })
}
