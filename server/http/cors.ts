/** The portal is a browser client (data-commons.md 2.1). No cookies are used, so any origin may ask. */
export const corsHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Content-Disposition, Content-Range, Content-MD5, Content-Length, ETag, ' +
    'Last-Modified, Link, Retry-After, X-Casemill-Release, X-Files-Omitted, X-Request-Id, ' +
    'X-Total-Count, X-Warnings',
})

/** Answers OPTIONS on a known path, preflight or not. */
export function preflight(allow: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow.join(', '),
      'Access-Control-Allow-Methods': allow.join(', '),
      'Access-Control-Allow-Headers':
        'X-Auth-Token, X-SEERAPI-Key, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, ' +
        'If-Range, If-Unmodified-Since, Range, X-Document-Name, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    },
  })
}
