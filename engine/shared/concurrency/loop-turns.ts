import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds that all long tasks together may take in one turn of the event loop. */
const TURN_MILLISECONDS = 8

/**
 * Divides the turns of the event loop among long tasks. All tasks of a process share one instance, so that
 * together they take no more of a turn than a single task would.
 */
export class LoopTurns {
  readonly #clock: () => number
  #last: Promise<void> = Promise.resolve()
  /** Deadline for work in this turn. Undefined if there has been no work in this turn. */
  #share: { readonly until: number } | undefined

  /** @param clock monotonic clock in milliseconds */
  constructor(clock = () => performance.now()) {
    this.#clock = clock
  }

  /** Resolves in a later turn. In each turn, one caller resumes, in the order of the calls. */
  next(): Promise<void> {
    this.#last = this.#last
      .then(() => nextTurn())
      .then(() => {
        this.#begin()
      })
    return this.#last
  }

  /** Waits for another turn if long tasks have used up this one. Await it between two steps of work. */
  async pause(): Promise<void> {
    if (this.#isSpent()) await this.next()
  }

  /** Runs a generator to its end and yields to the event loop whenever the share of a turn is used up. */
  async run<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
    for (;;) {
      // This is checked before the first step, too: many runs that begin in one turn would each take a step.
      if (this.#isSpent()) await this.next()
      const { done, value } = steps.next()
      if (done) return value
    }
  }

  #isSpent(): boolean {
    const share = this.#share ?? this.#begin()
    return this.#clock() >= share.until
  }

  #begin(): { readonly until: number } {
    const share = { until: this.#clock() + TURN_MILLISECONDS }
    this.#share = share
    setImmediate(() => {
      if (this.#share === share) this.#share = undefined
    })
    return share
  }
}
