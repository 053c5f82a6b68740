/** Names are at most as long; what was submitted may be anything. */
const MAX_CHARACTERS = 100
/** Of 100, above which a name is taken for another one mistyped (submission.md 7.4). */
const MIN_SCORE = 70
/** Each takes a fraction of a millisecond, and a body may have a million of them. */
const MAX_NAMES = 1000

/** Finds what was meant by names that are not known, of one transaction. */
export class Suggestions {
  readonly #known = new Map<string, string>()

  /**
   * What follows a message on a name: ` Did you mean 'consent_type'?`, or nothing where no name is
   * much like it.
   * @param scope what the names are names of; equal scopes have equal names
   */
  of(name: string, scope: string, names: Iterable<string>): string {
    if (name.length > MAX_CHARACTERS) return ''
    const key = `${scope} ${name}`
    const known = this.#known.get(key)
    if (known !== undefined || this.#known.size >= MAX_NAMES) return known ?? ''
    const found = mostSimilar(name, names)
    const hint = found === undefined ? '' : ` Did you mean '${found}'?`
    this.#known.set(key, hint)
    return hint
  }
}

function mostSimilar(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let most = MIN_SCORE
  for (const candidate of names) {
    const score = similarity(name, candidate, most)
    if (score <= most) continue
    best = candidate
    most = score
  }
  return best
}

/** From 0 to 100, or 0 for what is not above a score. The first words of a name are much like it. */
function similarity(name: string, candidate: string, above: number): number {
  if (name !== '' && candidate.startsWith(`${name}_`)) return 90
  const both = name.length + candidate.length
  const atMost = (200 * Math.min(name.length, candidate.length)) / both
  return atMost <= above ? 0 : (200 * commonSubsequence(name, candidate)) / both
}

/** Length of the longest text that is left of both when characters are taken out. */
function commonSubsequence(a: string, b: string): number {
  const row = new Uint8Array(b.length + 1)
  for (const character of a) {
    let diagonal = 0
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0
      row[j] = character === b[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1] ?? 0)
      diagonal = above
    }
  }
  return row[b.length] ?? 0
}
