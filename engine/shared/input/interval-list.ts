/** An interval on a reference, 0-based and half-open. Infinity means an open end. */
interface On<Reference> {
  readonly reference: Reference
  readonly start: number
  readonly end: number
}

/**
 * A list of intervals in three columns, which takes some 24 bytes for each. An object for each would take a hundred,
 * and a request may have a hundred thousand.
 */
export class IntervalList<Reference extends string | number> implements Iterable<On<Reference>> {
  readonly #references: Reference[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Equal names are stored once, since each parsed one is a string of its own. */
  readonly #names = new Map<Reference, Reference>()

  get length(): number {
    return this.#references.length
  }

  push({ reference, start, end }: On<Reference>): void {
    const known = this.#names.get(reference)
    if (known === undefined) this.#names.set(reference, reference)
    this.#references.push(known ?? reference)
    this.#starts.push(start)
    this.#ends.push(end)
  }

  *[Symbol.iterator](): Generator<On<Reference>, void> {
    for (const [i, reference] of this.#references.entries()) {
      yield { reference, start: this.#starts[i]!, end: this.#ends[i]! }
    }
  }
}
