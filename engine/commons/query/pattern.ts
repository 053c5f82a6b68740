/**
 * Pattern with `*`, which matches any characters (data-commons.md 1.4). It is matched from left to right without
 * backtracking, in linear time.
 */
export interface Pattern {
  /** Text that matching values start with. */
  readonly prefix: string
  /** Whether the pattern is just the prefix followed by `*`. */
  readonly isPrefix: boolean
  readonly matches: (text: string) => boolean
}

/** Prefix of a filter value that refers to the members of a stored set. */
export const SET_PREFIX = 'set_id:'

export const isPattern = (value: string): boolean =>
  value.includes('*') && !value.startsWith(SET_PREFIX)

/** Returns whether a pattern only tests a prefix, such as `TCGA-*`. */
export const isPrefixPattern = (value: string): boolean => /^[^*]*\*+$/.test(value)

/** Returns the number of pattern parts to search for in each column value. 0 for plain values and prefixes. */
export const searchedParts = (value: string | number): number =>
  typeof value === 'string' && isPattern(value) && !isPrefixPattern(value)
    ? value.split('*').filter((chunk) => chunk !== '').length
    : 0

/** Compiles a pattern, in which `*` matches any characters. */
export function compilePattern(value: string): Pattern {
  const chunks = value.split('*')
  const prefix = chunks[0] as string
  const suffix = chunks.at(-1) as string
  const inner = chunks.slice(1, -1).filter((chunk) => chunk !== '')
  const least = prefix.length + suffix.length + inner.reduce((sum, { length }) => sum + length, 0)
  const matches = (text: string) => {
    if (text.length < least || !text.startsWith(prefix) || !text.endsWith(suffix)) return false
    let at = prefix.length
    for (const chunk of inner) {
      const found = text.indexOf(chunk, at)
      if (found < 0) return false
      at = found + chunk.length
    }
    return at <= text.length - suffix.length
  }
  return { prefix, isPrefix: suffix === '' && inner.length === 0, matches }
}

/** Returns the lowest text by code point that sorts after all texts with the prefix, or undefined if none does. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) as number)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Surrogates do not occur in valid text, so they are skipped.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
