export type Scalar = string | number | boolean | null

/** A node in the tree of names. `column` is -1 until a scalar has been found there. */
interface Place {
  readonly key: string
  column: number
  members: Map<string, Place> | undefined
  items: Place[] | undefined
}

/**
 * Flattens trees into rows. Keys are names joined by dots, with 0-based array indexes
 * (`cases.0.samples.1.sample_id`). Columns are numbered in the order of their first appearance. Keys are
 * built once per column instead of once per row.
 *
 * @example
 * const flattening = new Flattening()
 * flattening.flatten({ a: [{ b: 1 }] }, (column, scalar) => …) // calls back with 0, 1
 * flattening.keys // ['a.0.b']
 */
export class Flattening {
  /** Keys, indexed by column number. */
  readonly keys: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #root = placeOf('')

  /** @param keys columns that get the first numbers */
  constructor(keys: readonly string[] = []) {
    for (const key of keys) this.#numberOf(key)
  }

  /** Calls `see` for every scalar in the tree, including null. Empty objects and arrays contain none. */
  flatten(value: unknown, see: (column: number, scalar: Scalar) => void): void {
    this.#walk(this.#root, value, see)
  }

  #walk(place: Place, value: unknown, see: (column: number, scalar: Scalar) => void): void {
    if (value === null || typeof value !== 'object') {
      if (place.column < 0) place.column = this.#numberOf(place.key)
      see(place.column, value as Scalar)
    } else if (Array.isArray(value)) {
      place.items ??= []
      for (let i = 0; i < value.length; i++) {
        const item = place.items[i] ?? placeOf(below(place, String(i)))
        place.items[i] = item
        this.#walk(item, value[i], see)
      }
    } else {
      place.members ??= new Map()
      const members = value as Readonly<Record<string, unknown>>
      for (const name in members) {
        if (members[name] === undefined) continue
        let member = place.members.get(name)
        if (!member) {
          member = placeOf(below(place, name))
          place.members.set(name, member)
        }
        this.#walk(member, members[name], see)
      }
    }
  }

  /**
   * Returns the number of the column for a key. Two places with the same key (`{"a.b": 1}` and `{"a": {"b":
   * 1}}`) share a column.
   */
  #numberOf(key: string): number {
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.keys.push(key) - 1
      this.#numbers.set(key, number)
    }
    return number
  }
}

const placeOf = (key: string): Place => ({ key, column: -1, members: undefined, items: undefined })
const below = (place: Place, name: string) => (place.key === '' ? name : `${place.key}.${name}`)
