/** Returns the value of a cookie in the request, the first one if several have the same name. */
export function cookieOf(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

/**
 * Formats a cookie that is hidden from scripts, not sent with requests of other sites' pages, and `Secure` if
 * the browser uses https.
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
