import { onlyOnce } from '../../shared/concurrency/only-once.ts'
import { EngineError } from '../../shared/errors.ts'

/** Some pieces of work at the same time, a bounded number waiting, in the order they came. */
export class Turns {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limits: { readonly atOnce: number; readonly mostWaiting: number }) {
    this.#atOnce = limits.atOnce
    this.#mostWaiting = limits.mostWaiting
  }

  /** Whether nothing runs and nothing waits. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /**
   * Takes a place at once, before the turn has come.
   * @param leaves places of those that wait that are reserved for others
   * @throws EngineError `busy` when too many wait
   */
  enter(leaves = 0): Turn {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#running < this.#atOnce) {
      this.#running++
      resolve()
    } else if (this.#waiting.length < this.#mostWaiting - leaves) this.#waiting.push(resolve)
    else {
      const message = `${this.#waiting.length} transactions are waiting already; try again later`
      throw new EngineError('busy', message, { retryAfterSeconds: 5 })
    }
    return { come: promise, leave: onlyOnce(() => this.#leave(resolve)) }
  }

  /** Whoever waits goes out of the row; whoever has a place frees it for the next. */
  #leave(come: () => void): void {
    const at = this.#waiting.indexOf(come)
    if (at === -1) this.#next()
    else this.#waiting.splice(at, 1)
  }

  #next(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}

export interface Turn {
  /** Resolves when it is one's turn. */
  readonly come: Promise<void>
  /** To be called in any case: also by who no longer wants the turn. */
  readonly leave: () => void
}
