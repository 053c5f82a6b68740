/** Matches a human chromosome name, with or without the prefix `chr`. */
const REFERENCE = /^(?:chr)?([1-9]|1\d|2[0-2]|[xym]|mt)$/i

/**
 * Returns other spellings of a name: in other letter cases and, for a chromosome, with and without `chr`, and M
 * for MT.
 * @example spellingsOf('17') // ['chr17']
 */
export function spellingsOf(name: string): readonly string[] {
  const lower = name.toLowerCase()
  const capital = lower.slice(0, 1).toUpperCase() + lower.slice(1)
  const all = new Set([...references(name), name.toUpperCase(), lower, capital])
  all.delete(name)
  return [...all]
}

function references(name: string): readonly string[] {
  const bare = REFERENCE.exec(name)?.[1]?.toUpperCase()
  if (bare === undefined) return []
  const names = bare === 'M' || bare === 'MT' ? ['M', 'MT'] : [bare]
  return names.flatMap((one) => [`chr${one}`, one, `chr${one}`.toLowerCase(), one.toLowerCase()])
}
