/** How often a finding occurred in the lines, and where first. */
export interface Counted {
  readonly kind: string
  readonly code: string
  /** Name of the thing concerned, never a value. */
  readonly of?: string
  readonly count: number
  /** Line of the first occurrence. */
  readonly line: number
}

/** A single occurrence of a finding. */
export type Found = Omit<Counted, 'count'>

/** Maximum number of distinct findings, more than if every item of the largest dictionary had faults. */
const MAX_COUNTED = 5000

/** Counts findings by kind and code. Uses bounded memory. */
export class Counts {
  readonly #counts = new Map<string, { -readonly [K in keyof Counted]: Counted[K] }>()

  add(found: Found): void {
    this.#add(found, 1)
  }

  /** Adds the counts of another source. */
  addAll(counted: readonly Counted[]): void {
    for (const one of counted) this.#add(one, one.count)
  }

  /** Returns the counts, most frequent first. */
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
