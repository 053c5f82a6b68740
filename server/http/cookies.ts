/** Returns the value of a cookie in the request. If several cookies have the same name, returns the first value. */
export function cookieOf(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

/**
 * Formats a cookie. Scripts cannot read it, browsers do not send it with requests from pages of other sites, and
 * it is `Secure` if the browser uses https.
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
