import { setImmediate as nextTurn } from 'node:timers/promises'

/** Hands out turns of the event loop, one chunk of work to each, in the order they were asked for. */
export class LoopTurns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves in a turn in which nothing else has been let in from here. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn())
    return this.#last
  }
}
