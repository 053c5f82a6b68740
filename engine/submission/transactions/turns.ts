import { onlyOnce } from '../../shared/concurrency/only-once.ts'
import { EngineError } from '../../shared/errors.ts'

/** A queue that runs tasks in order. The numbers of running and of waiting tasks are limited. */
export class Turns {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limits: { readonly atOnce: number; readonly mostWaiting: number }) {
    this.#atOnce = limits.atOnce
    this.#mostWaiting = limits.mostWaiting
  }

  /** Whether no task is running or waiting. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /**
   * Takes a place in the queue.
   * @param reserved waiting places that are reserved for others
   * @throws EngineError `busy` if too many are waiting
   */
  enter(reserved = 0): Turn {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#running < this.#atOnce) {
      this.#running++
      resolve()
    } else if (this.#waiting.length < this.#mostWaiting - reserved) this.#waiting.push(resolve)
    else {
      const message = `${this.#waiting.length} transactions are waiting already; try again later`
      throw new EngineError('busy', message, { retryAfterSeconds: 5 })
    }
    return { come: promise, leave: onlyOnce(() => this.#leave(resolve)) }
  }

  /** Leaves the queue, or lets the next task run. */
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
  /** Resolves when the task may run. */
  readonly come: Promise<void>
  /** Must be called in any case, even if the task never ran. */
  readonly leave: () => void
}
