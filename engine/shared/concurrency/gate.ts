import { EngineError } from '../errors.ts'
import { onlyOnce } from './only-once.ts'

interface Waiter {
  readonly admit: () => void
}

/** Semaphore with a bounded queue. Callers beyond the queue are rejected. */
export class Gate {
  readonly #width: number
  readonly #queueLength: number
  readonly #busyMessage: string
  readonly #waiting: Waiter[] = []
  #inside = 0

  /**
   * @param width maximum number of callers inside
   * @param queueLength maximum number of waiting callers
   * @param busyMessage message of the error for rejected callers
   */
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
   * Waits for a place and returns the function that frees it. Further calls of that function do nothing.
   * @throws EngineError `busy` if the queue is full; the signal's reason if it aborts
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const leave = this.tryEnter()
    if (leave) return leave
    if (this.#waiting.length >= this.#queueLength) throw new EngineError('busy', this.#busyMessage)
    await this.#wait(signal)
    return this.#leave()
  }

  /** Takes a place if one is free. Returns undefined otherwise. */
  tryEnter(): (() => void) | undefined {
    if (this.#inside >= this.#width) return undefined
    this.#inside++
    return this.#leave()
  }

  #leave(): () => void {
    return onlyOnce(() => {
      // The place passes directly to the next waiter, so that no other caller can take it first.
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
