/** How often something was found in what lines are made of, and where first. */
export interface Counted {
  readonly kind: string
  readonly code: string
  /** What it is of, by name; never a value. */
  readonly of?: string
  readonly count: number
  /** Where it was first. */
  readonly line: number
}

/** Found once. */
export type Found = Omit<Counted, 'count'>

/** Things that are told apart; more than all items of the largest dictionary have faults. */
const MAX_COUNTED = 5000

/** Counts of what was found, by kind and code, in memory that does not grow. */
export class Counts {
  readonly #counts = new Map<string, { -readonly [K in keyof Counted]: Counted[K] }>()

  add(found: Found): void {
    this.#add(found, 1)
  }

  /** Adds what was counted elsewhere. */
  addAll(counted: readonly Counted[]): void {
    for (const one of counted) this.#add(one, one.count)
  }

  /** The most frequent first. */
  list(): readonly Counted[] {
    return [...this.#counts.values()].toSorted((a, b) => b.count - a.count)
  }

  #add({ kind, code, of, line }: Found, count: number): void {
    const key = `${kind} ${code} ${of ?? ''}`
    const known = this.#counts.get(key)
    if (known) {
      known.count += count
      known.line = Math.min(known.line, line)
    } else if (this.#counts.size < MAX_COUNTED) {
      this.#counts.set(key, { kind, code, ...(of !== undefined && { of }), count, line })
    }
  }
}
