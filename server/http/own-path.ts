/** Maximum characters of a path. It is sent in the head of a response, for which most clients accept 16 KiB. */
const MAX_CHARACTERS = 1000
/** The same with escapes, which take three characters for a byte. The cookie of a log-in has room for it. */
const MAX_ESCAPED = 2000

/**
 * Returns the path, query and fragment of a page on this host. Returns `/` for a page on another host or in another
 * form: nobody is sent there. Browsers read `\` like `/`, and drop control characters, as URL does here.
 */
export function ownPath(page: string | undefined, headers: Headers): string {
  if (page !== undefined && page.length > MAX_CHARACTERS) return '/'
  const host = headers.get('host')?.toLowerCase() ?? 'localhost'
  const url = URL.parse(page ?? '/', `http://${host}/`)
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== URL.parse(`http://${host}/`)?.host) {
    return '/'
  }
  // Two slashes would begin the name of another host.
  const path = `${url.pathname.replace(/^\/+/, '/')}${url.search}${url.hash}`
  return path.length > MAX_ESCAPED ? '/' : path
}
