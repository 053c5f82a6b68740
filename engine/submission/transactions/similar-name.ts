import { MAX_NEAR_CHARACTERS, NearNames } from '../../shared/input/near-name.ts'

/** Each takes a fraction of a millisecond, and a body may have a million of them. */
const MAX_NAMES = 1000

/** Finds what was meant by names that are not known, of one transaction. */
export class Suggestions {
  /** Names are those of the dictionary, in its case; how many there are is bounded below. */
  readonly #near = new NearNames(Number.POSITIVE_INFINITY, (name) => name)
  readonly #known = new Map<string, string>()

  /**
   * What follows a message on a name: ` Did you mean 'consent_type'?`, or nothing where no name is
   * much like it.
   * @param scope what the names are names of; equal scopes have equal names
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
