import { isObject, member, type Unknowns } from '../../input/unknowns.ts'

/** Claims whose text is a list of words, separated by blanks (RFC 8693 4.2, RFC 9068 2.2.3). */
const WORDS: readonly string[] = Object.freeze(['scope', 'scp'])

/**
 * Returns the values of a claim as texts. The path is the name of a claim, or names separated by dots for a
 * claim inside others. A claim with the whole path as its name takes precedence. Objects have no values.
 * @example valuesOf({ realm_access: { roles: ['reader'] } }, 'realm_access.roles') // ['reader']
 */
export function valuesOf(claims: Unknowns, path: string): readonly string[] {
  const found = claimAt(claims, path)
  const texts = (Array.isArray(found) ? found : [found]).flatMap(textOf)
  return WORDS.includes(path) ? texts.flatMap((text) => text.split(' ')).filter(Boolean) : texts
}

/** Returns whether there is a claim, with whatever value. The path is that of valuesOf. */
export const hasClaim = (claims: Unknowns, path: string): boolean =>
  claimAt(claims, path) !== undefined

const claimAt = (claims: Unknowns, path: string): unknown =>
  Object.hasOwn(claims, path) ? member(claims, path) : atPath(claims, path)

function atPath(claims: Unknowns, path: string): unknown {
  let at: unknown = claims
  for (const name of path.split('.')) at = isObject(at) ? member(at, name) : undefined
  return at
}

function textOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'boolean' || typeof value === 'number' ? [String(value)] : []
}
