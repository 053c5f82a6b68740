import { EngineError } from '../errors.ts'
import { onlyOnce } from './only-once.ts'

interface Waiter {
  readonly admit: () => void
}

/** Admits a bounded number at a time, lets a bounded number wait, and turns the rest away. */
export class Gate {
  readonly #width: number
  readonly #queueLength: number
  readonly #busyMessage: string
  readonly #waiting: Waiter[] = []
  #inside = 0

  /** `error` is the message of the error of those that are turned away. */
  constructor(width: number, queueLength: number, busyMessage: string) {
    this.#width = width
    this.#queueLength = queueLength
    this.#busyMessage = busyMessage
  }

  get inside(): number {
    return this.#inside
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Resolves when there is space, to a function that gives the place back (idempotent).
   * @throws EngineError busy when too many are waiting; the signal's reason when it aborts
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const leave = this.tryEnter()
    if (leave) return leave
    if (this.#waiting.length >= this.#queueLength) throw new EngineError('busy', this.#busyMessage)
    await this.#wait(signal)
    return this.#leave()
  }

  /** As enter where there is space at once, else nothing. */
  tryEnter(): (() => void) | undefined {
    if (this.#inside >= this.#width) return undefined
    this.#inside++
    return this.#leave()
  }

  #leave(): () => void {
    return onlyOnce(() => {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = this.#waiting.shift()
      if (next) next.admit()
      else this.#inside--
    })
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal?.reason)
      }
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiter)
    })
  }
}
