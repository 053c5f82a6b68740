/** Characters of a name that others are compared with; what a request sends may be anything. */
export const MAX_NEAR_CHARACTERS = 100
/** Of 100, above which a name is taken for another one mistyped (submission.md 7.4). */
const MIN_SCORE = 70
/** Pairs of characters that the names of one request are compared by: some milliseconds. */
const MAX_PAIRS = 1_000_000

/** Finds what was meant by names that are not known, of one request, within one bound on the work. */
export class NearNames {
  readonly #fold: (name: string) => string
  #left: number

  /**
   * @param pairs pairs of characters that may be compared; beyond it nothing is found
   * @param fold makes equal what counts as one name
   */
  constructor(pairs = MAX_PAIRS, fold = (name: string) => name.toLowerCase()) {
    this.#left = pairs
    this.#fold = fold
  }

  /**
   * The name that is most like another one; `undefined` where none is much like it.
   * @param candidates are taken no further than the work lasts
   */
  of(name: string, candidates: Iterable<string>): string | undefined {
    if (name.length > MAX_NEAR_CHARACTERS) return undefined
    const wanted = this.#fold(name)
    let best: string | undefined
    let most = MIN_SCORE
    for (const candidate of candidates) {
      // A candidate costs something even where its length shows that it is another.
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

/** The score of two names if one of them lies in the other. */
const greatestScore = (name: string, candidate: string) =>
  (200 * Math.min(name.length, candidate.length)) / (name.length + candidate.length)

/** From 0 to 100, or 0 for what is not above a score. The first words of a name are much like it. */
function similarity(name: string, candidate: string, above: number): number {
  if (name !== '' && candidate.startsWith(`${name}_`)) return 90
  if (greatestScore(name, candidate) <= above) return 0
  return (200 * commonSubsequence(name, candidate)) / (name.length + candidate.length)
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

/** Text from a request for a message: one line, cut. */
export const quotedName = (text: string): string => JSON.stringify(text.slice(0, 100))

/**
 * What follows a message on names that are not known; nothing where none of them is near a known one.
 *
 * @param found names as they were given, each with the one that was meant
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

/** What follows a message on one name that is not among those that are known, which are few. */
export function nearestOf(name: string, known: Iterable<string>): string {
  return didYouMean([[name, new NearNames().of(name, known)]])
}
