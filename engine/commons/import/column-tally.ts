import type { NameCount } from './name-counts.ts'

/** A cell that was not understood. */
export interface CellExample {
  readonly line: number
  readonly cell: string
}

/** What became of the cells of one column, or of one field of JSON records. */
export interface ColumnReport {
  readonly name: string
  readonly taken: number
  readonly empty: number
  /** How cells were changed, and how many. */
  readonly changed: readonly NameCount[]
  readonly misunderstood: number
  /** The first ones that were not understood. */
  readonly examples: readonly CellExample[]
}

const MAX_EXAMPLES = 3
/** Characters of a cell that a report shows. */
const MAX_SHOWN = 80

/** Counts what becomes of the cells of one column. */
export class ColumnTally {
  readonly name: string
  readonly #line: () => number
  taken = 0
  empty = 0
  #misunderstood = 0
  readonly #changed = new Map<string, number>()
  readonly #examples: CellExample[] = []

  /** @param line the line that is being read */
  constructor(name: string, line: () => number) {
    this.name = name
    this.#line = line
  }

  addChange(rule: string, count = 1): void {
    this.#changed.set(rule, (this.#changed.get(rule) ?? 0) + count)
  }

  /** Adds what was counted of further cells of the column. */
  absorb({ taken, empty, changed, misunderstood, examples }: ColumnReport): void {
    this.taken += taken
    this.empty += empty
    for (const { name, count } of changed) this.addChange(name, count)
    this.#misunderstood += misunderstood
    this.#examples.push(...examples.slice(0, MAX_EXAMPLES - this.#examples.length))
  }

  addMisunderstood(cell: string): void {
    this.#misunderstood++
    if (this.#examples.length === MAX_EXAMPLES) return
    this.#examples.push({ line: this.#line(), cell: cell.slice(0, MAX_SHOWN) })
  }

  report(): ColumnReport {
    return {
      name: this.name,
      taken: this.taken,
      empty: this.empty,
      changed: [...this.#changed].map(([name, count]) => ({ name, count })),
      misunderstood: this.#misunderstood,
      examples: this.#examples,
    }
  }
}
