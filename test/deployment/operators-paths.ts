// Paths that proxies must not forward, in spellings that casemill treats as equal.

/** Prefixes that lead to the root, to another name of it, or back to it. */
const BEGINNINGS = [
  ...['/', '//', '/.//', '/%2e/', '/x/../', '//x/../../', '/x/%2e%2e/', '/x/%2E./', '/x/.%2e/'],
  ...['/v0/', '//v0//', '/%76%30/', '/v0/../v0/', '/x/%2e%2e/v0/'],
  // A client of a proxy sends the whole address.
  ...['http://elsewhere.example/', 'http://elsewhere.example//v0/./'],
  ...[
    '/auth/api/v0/',
    '//auth/api//v0/',
    '/%61uth/api/%760/',
    '/auth/api/v0/./',
    '/auth/./api/v0/',
  ],
  ...['/auth/x/../api/v0/', '/auth/api/v0/x/%2e%2e/', '/auth/api/v0/../v0/', '/auth/../'],
]
const NAMES = [
  ...['metrics', '%6detrics', 'm%65tri%63s'],
  ...[
    'health/dependencies',
    'health//dependencies',
    'health/./dependencies',
    'health/%2e/dependencies',
  ],
  ...['health/x/../dependencies', 'health/x/%2e%2E/dependencies', 'h%65alth/%64ependencies'],
]
const ENDS = ['', '?x=1', '/', '//', '/.', '/%2e', '/x/..', '?/../status']

/** Each prefix and each suffix with at least one name, and each name with one of each. */
export const OPERATORS_PATHS: readonly string[] = Object.freeze(
  BEGINNINGS.flatMap((beginning, b) =>
    NAMES.map((name, n) => `${beginning}${name}${ENDS[(b * 3 + n) % ENDS.length]}`),
  ),
)

/** The statuses with which a proxy refuses them: not found, or malformed. */
export const REFUSALS: readonly number[] = Object.freeze([400, 404])
