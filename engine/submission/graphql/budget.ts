import { EngineError } from '../../shared/errors.ts'

/** What one query may take while it runs; what its text may be is in query-limits.ts. */
export interface GraphLimits {
  /** Rows that are read, and values that are shown of them. */
  readonly rows: number
  readonly values: number
  /** Of what is read, as UTF-16. */
  readonly characters: number
  readonly milliseconds: number
}

export const GRAPH_LIMITS: GraphLimits = Object.freeze({
  rows: 100_000,
  values: 1_000_000,
  characters: 64 << 20,
  milliseconds: 30_000,
})

/** What is left of a query's limits. */
export class Budget {
  readonly #limits: GraphLimits
  readonly #signal: AbortSignal | undefined
  readonly #end: number
  #rows = 0
  #values = 0
  #characters = 0
  #error: EngineError | undefined

  constructor(limits: GraphLimits, signal?: AbortSignal) {
    this.#limits = limits
    this.#signal = signal
    this.#end = performance.now() + limits.milliseconds
  }

  /** What ended the query, if anything did. */
  get error(): EngineError | undefined {
    if (this.#error === undefined && this.millisecondsLeft <= 0) {
      const seconds = this.#limits.milliseconds / 1000
      this.#exceed(
        `takes longer than ${seconds} seconds; ask for less, or for one project at a time`,
      )
    }
    return this.#error
  }

  get millisecondsLeft(): number {
    return this.#end - performance.now()
  }

  /**
   * To be called before each step: nothing more is begun once a limit was passed.
   * @throws EngineError `too_many`; the signal's reason when the caller has left
   */
  check(): void {
    this.#signal?.throwIfAborted()
    if (this.error) throw this.error
  }

  /**
   * Counts a row, how many values are shown of it, and what was read for it.
   * @throws EngineError `too_many`
   */
  take(values: number, characters: number): void {
    this.#rows++
    this.#values += values
    this.#characters += characters
    const { rows, values: most, characters: read } = this.#limits
    if (this.#rows > rows) this.#exceed(`reads more than ${rows} rows; use first and offset`)
    if (this.#values > most) {
      this.#exceed(`tells more than ${most} values; ask for fewer properties or rows`)
    }
    if (this.#characters > read) {
      this.#exceed(`reads more than ${read >> 20} MiB; ask for fewer properties or rows`)
    }
    if (this.#error) throw this.#error
  }

  #exceed(what: string): void {
    this.#error ??= new EngineError('too_many', `the query ${what}`)
  }
}
