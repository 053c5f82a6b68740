import { setTimeout as pause } from 'node:timers/promises'

/** A wait that is shorter than this is made up for by the next one. */
const MIN_WAIT_MILLISECONDS = 20

/** Holds work that takes bytes down to so many a second. */
export class Pace {
  readonly #bytesPerSecond: number
  /** When all that was taken so far may have been taken. */
  #due = 0

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Resolves when the next bytes may be taken. Time in which nothing was taken is not made up for. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = performance.now()
    this.#due = Math.max(this.#due, now) + (bytes / this.#bytesPerSecond) * 1000
    const wait = this.#due - now
    if (wait >= MIN_WAIT_MILLISECONDS) await pause(wait, undefined, { signal, ref: false })
  }
}
