/** What the client sent of a cookie; the first of several of one name. */
export function cookieOf(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

/**
 * A cookie that scripts do not see and other sites' pages do not send, for so many seconds. `Secure` where
 * the browser came by https.
 * @param value without blanks, `;` and commas
 */
export function setCookie(
  name: string,
  value: string,
  { seconds, isSecure }: { readonly seconds: number; readonly isSecure: boolean },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
  return `${name}=${value}; ${flags}${isSecure ? '; Secure' : ''}`
}
