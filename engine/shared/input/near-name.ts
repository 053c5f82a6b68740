/** Maximum length of a name that is compared with others, because a request may contain any text. */
export const MAX_NEAR_CHARACTERS = 100
/** Minimum similarity, from 0 to 100, for a name to count as a typing error (submission.md 7.4). */
const MIN_SCORE = 70
/** Maximum number of character comparisons per request, which take some milliseconds. */
const MAX_PAIRS = 1_000_000

/** Suggests known names for unknown names in one request. Limits the total work. */
export class NearNames {
  readonly #fold: (name: string) => string
  #left: number

  /**
   * @param pairs number of character comparisons allowed; after that nothing is found
   * @param fold maps names that count as equal to the same text
   */
  constructor(pairs = MAX_PAIRS, fold = (name: string) => name.toLowerCase()) {
    this.#left = pairs
    this.#fold = fold
  }

  /**
   * Returns the candidate that is most similar to a name. `undefined` if none is similar enough.
   * @param candidates iterated only as far as the limit on the work allows
   */
  of(name: string, candidates: Iterable<string>): string | undefined {
    if (name.length > MAX_NEAR_CHARACTERS) return undefined
    const wanted = this.#fold(name)
    let best: string | undefined
    let most = MIN_SCORE
    for (const candidate of candidates) {
      // A candidate that is skipped because of its length still counts as one comparison.
      this.#left -= 1 + this.#pairs(wanted, candidate, most)
      if (this.#left < 0) break
      const score = similarity(wanted, this.#fold(candidate), most)
      if (score <= most) continue
      best = candidate
      most = score
      if (score === 100) break
    }
    return best
  }

  #pairs(name: string, candidate: string, above: number): number {
    return greatestScore(name, candidate) > above ? name.length * candidate.length : 0
  }
}

/** Returns the score that two names would have if the longer one contained the shorter one. */
const greatestScore = (name: string, candidate: string) =>
  (200 * Math.min(name.length, candidate.length)) / (name.length + candidate.length)

/**
 * Returns the similarity from 0 to 100. Returns 0 if it is not above a given score. A candidate that starts with
 * the name and `_` counts as similar.
 */
function similarity(name: string, candidate: string, above: number): number {
  if (name !== '' && candidate.startsWith(`${name}_`)) return 90
  if (greatestScore(name, candidate) <= above) return 0
  return (200 * commonSubsequence(name, candidate)) / (name.length + candidate.length)
}

/** Returns the length of the longest common subsequence of two texts. */
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

/** Quotes a text from a request for use in a message. The result is short and on one line. */
export const quotedName = (text: string): string => JSON.stringify(text.slice(0, 100))

/**
 * Returns the end of a message about unknown names. It is empty if there are no suggestions.
 * @param found unknown names with their suggestions
 * @example didYouMean([['acess', 'access']]) // '; did you mean "access"?'
 */
export function didYouMean(found: readonly (readonly [string, string | undefined])[]): string {
  const near = found.flatMap(([name, meant]) => (meant === undefined ? [] : [[name, meant]]))
  if (near.length === 0) return ''
  const only = found.length === 1
  const texts = near.map(([name = '', meant = '']) =>
    only ? quotedName(meant) : `${quotedName(meant)} for ${quotedName(name)}`,
  )
  return `; did you mean ${texts.join(', ')}?`
}

/** Returns the end of a message about one unknown name, for cases with few known names. */
export function nearestOf(name: string, known: Iterable<string>): string {
  return didYouMean([[name, new NearNames().of(name, known)]])
}
