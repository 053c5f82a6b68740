/**
 * A value with `*` in it: `*` stands for any run of characters, all else for itself (data-commons.md 1.4).
 * Looked for from left to right without ever going back, so no pattern is slow.
 */
export interface Pattern {
  /** What a value starts with. */
  readonly prefix: string
  /** `true`: nothing but the prefix is asked for. */
  readonly isPrefix: boolean
  readonly matches: (text: string) => boolean
}

export const isPattern = (value: string): boolean =>
  value.includes('*') && !value.startsWith('set_id:')

/** Whether nothing but a start is asked for: `TCGA-*`. */
export const isPrefixPattern = (value: string): boolean => /^[^*]*\*+$/.test(value)

/** Texts that each value of a column is searched for, about; none for a plain value and for a start. */
export const searchedParts = (value: string | number): number =>
  typeof value === 'string' && isPattern(value) && !isPrefixPattern(value)
    ? value.split('*').filter((chunk) => chunk !== '').length
    : 0

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

/**
 * The least text above all that start with the prefix, by code points as UTF-8 orders them;
 * `undefined` when there is none.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) as number)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Surrogates are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
