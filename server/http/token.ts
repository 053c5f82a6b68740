/** The key of the registry's interface as the client sent it; only the engine judges it. */
export function sentKey(headers: Headers): string | undefined {
  return headers.get('x-seerapi-key')?.trim() || undefined
}

/**
 * The secret as the client sent it, from `X-Auth-Token` or `Authorization: Bearer`. It may be any
 * text, non-ASCII included: only the engine judges it, so that a strange one is a 403.
 */
export function sentToken(headers: Headers): string | undefined {
  const custom = headers.get('x-auth-token')?.trim()
  if (custom) return custom
  const bearer = /^bearer +(.+)$/i.exec(headers.get('authorization')?.trim() ?? '')
  return bearer?.[1]
}
