import type { CellExample } from '../../shared/input/cell-example.ts'

/** Number of examples of each doubt. */
const MAX_EXAMPLES = 3

/** Number of values that are imported although they are probably wrong for a certain reason. */
export interface DoubtCount {
  /** The reason, as it follows the number in reports, such as `rows name a normal specimen as the tumor`. */
  readonly reason: string
  readonly count: number
  /** The first doubtful values. */
  readonly examples: readonly CellExample[]
}

/** Counts doubtful values of one source by reason for doubt. */
export class Doubts {
  readonly #byReason = new Map<string, { count: number; readonly examples: CellExample[] }>()

  add(reason: string, example: CellExample): void {
    const known = this.#of(reason)
    known.count++
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(example)
  }

  absorb(counts: readonly DoubtCount[]): void {
    for (const { reason, count, examples } of counts) {
      const known = this.#of(reason)
      known.count += count
      known.examples.push(...examples.slice(0, MAX_EXAMPLES - known.examples.length))
    }
  }

  get counts(): readonly DoubtCount[] {
    return [...this.#byReason].map(([reason, known]) => ({ reason, ...known }))
  }

  /** Sentences about the doubts for the report. */
  get texts(): readonly string[] {
    return this.counts.map(({ reason, count, examples }) => {
      const shown = examples.map(({ cell, line }) => `"${cell}" in line ${line}`)
      return `${count} ${reason}: ${shown.join(', ')}`
    })
  }

  #of(reason: string) {
    const known = this.#byReason.get(reason) ?? { count: 0, examples: [] }
    this.#byReason.set(reason, known)
    return known
  }
}
