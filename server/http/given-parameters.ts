import { EngineError, type Warnings } from '../../engine/shared/index.ts'
import { didYouMean, NearNames } from '../../engine/shared/internal.ts'

/** Advice on alternatives, keyed by the name of a rejected parameter. */
export type NeverIgnored = Readonly<Record<string, string>>

/** Parameters that an endpoint supports. */
export interface Taken {
  readonly names: Readonly<Record<string, unknown>>
  /** Single-valued parameters that may be repeated. */
  readonly single?: readonly string[] | undefined
}

/** Parameters that the portal always sends with downloads, ignored without a warning (data-commons.md 2.1). */
const SENT_BY_PORTAL: ReadonlySet<string> = new Set([
  'downloadCookieKey',
  'downloadCookiePath',
  'tsv_format',
  'annotations',
  'related_files',
  'hash',
])

export type Given = Readonly<Record<string, unknown>>

/** Maximum number of unknown names in a warning, and of characters of each. */
const MAX_NAMED = 5
const MAX_CHARACTERS = 100

/**
 * Returns whether a value is not empty. Some clients send every parameter, so an empty one counts as missing
 * (data-commons.md 9 rule 13).
 */
function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_CHARACTERS || value.trim() !== ''
  if (typeof value !== 'object') return value !== undefined
  // R's jsonlite writes a missing value as `{}`.
  return value !== null && Object.keys(value).length > 0
}

/**
 * Rejects parameters that must not be ignored and that the endpoint does not support.
 * @throws EngineError `bad_input` naming the parameter, if one is given
 */
export function refuseUntaken(given: Given, taken: Taken, neverIgnored: NeverIgnored): void {
  for (const [name, advice] of Object.entries(neverIgnored)) {
    if (Object.hasOwn(taken.names, name) || !Object.hasOwn(given, name)) continue
    if (!hasContent(given[name])) continue
    throw new EngineError('bad_input', `parameter ${name} is not taken here; ${advice}`, {
      at: name,
    })
  }
}

/** Warns about unknown names, with the most similar known names, and about repeated ones (data-commons.md 11.36). */
export function warnOfGiven(
  { query, body = {} }: { readonly query: Given; readonly body?: Given },
  { names, single = [] }: Taken,
  warnings: Warnings,
): void {
  const all = { ...query, ...body }
  const unknown = Object.keys(all).filter(
    (name) => !Object.hasOwn(names, name) && !SENT_BY_PORTAL.has(name) && hasContent(all[name]),
  )
  if (unknown.length > 0) warnings.add('parameters', unrecognized(unknown, Object.keys(names)))
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(names, name) || !Object.hasOwn(query, name)) continue
    if (!hasContent(query[name])) continue
    warnings.add(name, 'given in the query string and in the body; the body counts')
  }
  for (const name of single) {
    const values = Object.hasOwn(all, name) ? all[name] : undefined
    if (Array.isArray(values) && values.length > 1) {
      warnings.add(name, `given ${values.length} times; give it once`)
    }
  }
}

function unrecognized(unknown: readonly string[], known: readonly string[]): string {
  const near = new NearNames()
  const named = unknown.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_CHARACTERS))
  const found = named.map((name) => [name, near.of(name, known)] as const)
  const more = unknown.length > MAX_NAMED ? [`and ${unknown.length - MAX_NAMED} more`] : []
  return `unrecognized values: [${[...named, ...more].join(', ')}]${didYouMean(found)}`
}
