import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds. A shorter wait is skipped and added to the next one. */
const MIN_WAIT_MILLISECONDS = 20

/** Limits the rate of work in bytes per second. */
export class Pace {
  readonly #bytesPerSecond: number
  /** Time at which everything taken so far is within the rate. */
  #due = 0

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Waits until the next bytes may be taken. Idle time does not allow a later burst. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = performance.now()
    this.#due = Math.max(this.#due, now) + (bytes / this.#bytesPerSecond) * 1000
    const wait = this.#due - now
    if (wait >= MIN_WAIT_MILLISECONDS) await pause(wait, undefined, { signal, ref: false })
  }
}
