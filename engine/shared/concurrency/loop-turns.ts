import { setImmediate as nextTurn } from 'node:timers/promises'

/** How much of a turn all of that work takes together, roughly. */
const TURN_MILLISECONDS = 8

/**
 * Shares out turns of a thread's event loop. All long work of a process has one between it: what is done for
 * many requests takes no more of a turn than what is done for one.
 */
export class LoopTurns {
  readonly #clock: () => number
  #last: Promise<void> = Promise.resolve()
  /** Of this turn; none while nothing was done in it. */
  #share: { readonly until: number } | undefined

  /** @param clock milliseconds that never go back */
  constructor(clock = () => performance.now()) {
    this.#clock = clock
  }

  /** Resolves in a turn in which nothing else has been let in from here, in the order of the calls. */
  next(): Promise<void> {
    this.#last = this.#last
      .then(() => nextTurn())
      .then(() => {
        this.#begin()
      })
    return this.#last
  }

  /** To be awaited between two steps of work: waits for another turn once this one has had its share of it. */
  async pause(): Promise<void> {
    if (this.#isSpent()) await this.next()
  }

  /** Runs steps to their end, with a pause between two where it is time for one. */
  async run<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      if (this.#isSpent()) await this.next()
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
