import { MAX_NEAR_CHARACTERS, NearNames } from '../../shared/input/near-name.ts'

/** Maximum number of names. Each takes a fraction of a millisecond, and a body may have a million. */
const MAX_NAMES = 1000

/** Suggests known names for the unknown names of one transaction. */
export class Suggestions {
  /** MAX_NAMES limits comparisons. Case matters, since the dictionary's names have a fixed case. */
  readonly #near = new NearNames(Number.POSITIVE_INFINITY, (name) => name)
  readonly #known = new Map<string, string>()

  /**
   * Returns the end of a message, such as ` Did you mean 'consent_type'?`, or an empty text.
   * @param scope identifies the set of known names, for caching
   */
  of(name: string, scope: string, names: Iterable<string>): string {
    if (name.length > MAX_NEAR_CHARACTERS) return ''
    const key = `${scope} ${name}`
    const known = this.#known.get(key)
    if (known !== undefined || this.#known.size >= MAX_NAMES) return known ?? ''
    const found = this.#near.of(name, names)
    const hint = found === undefined ? '' : ` Did you mean '${found}'?`
    this.#known.set(key, hint)
    return hint
  }
}
