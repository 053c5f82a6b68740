/** The portal is a browser client (contract 2.1). No cookies are used, so any origin may ask. */
export const corsHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Content-Disposition, Content-Range, Content-MD5, Content-Length, ETag, X-Request-Id',
})

/** Answers OPTIONS on a known path, preflight or not. */
export function preflight(allow: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow.join(', '),
      'Access-Control-Allow-Methods': allow.join(', '),
      'Access-Control-Allow-Headers':
        'X-Auth-Token, Authorization, Content-Type, If-None-Match, Range, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    },
  })
}
