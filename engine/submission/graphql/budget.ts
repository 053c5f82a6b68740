import { EngineError } from '../../shared/errors.ts'

/** Limits on the execution of a query. Limits on its text are in query-limits.ts. */
export interface GraphLimits {
  /** Maximum number of rows to read, and of values to return from them. */
  readonly rows: number
  readonly values: number
  /** Maximum amount of data read, in UTF-16 units. */
  readonly characters: number
  readonly milliseconds: number
}

export const GRAPH_LIMITS: GraphLimits = Object.freeze({
  rows: 100_000,
  values: 1_000_000,
  characters: 64 << 20,
  milliseconds: 30_000,
})

/** The remaining limits of a query. */
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

  /** Error that ended the query, if any. */
  get error(): EngineError | undefined {
    if (this.#error === undefined && this.millisecondsLeft <= 0) {
      const seconds = this.#limits.milliseconds / 1000
      this.#exceed(`takes longer than ${seconds} seconds; request less, or one project at a time`)
    }
    return this.#error
  }

  get millisecondsLeft(): number {
    return this.#end - performance.now()
  }

  /**
   * Must be called before each step, so that nothing starts after a limit is exceeded.
   * @throws EngineError `too_many`; the signal's reason if the client has disconnected
   */
  check(): void {
    this.#signal?.throwIfAborted()
    if (this.error) throw this.error
  }

  /**
   * Charges one row, the number of values that it returns, and the characters read.
   * @throws EngineError `too_many` if a limit is exceeded
   */
  take(values: number, characters: number): void {
    this.#rows++
    this.#values += values
    this.#characters += characters
    const { rows, values: most, characters: read } = this.#limits
    if (this.#rows > rows) this.#exceed(`reads more than ${rows} rows; use first and offset`)
    if (this.#values > most) {
      this.#exceed(`returns more than ${most} values; request fewer properties or rows`)
    }
    if (this.#characters > read) {
      this.#exceed(`reads more than ${read >> 20} MiB; request fewer properties or rows`)
    }
    if (this.#error) throw this.#error
  }

  #exceed(what: string): void {
    this.#error ??= new EngineError('too_many', `the query ${what}`)
  }
}
