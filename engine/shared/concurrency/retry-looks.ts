/** Maximum pause in polls, about a minute at one poll per second. */
const MAX_PAUSE_LOOKS = 64

/** Schedules retries after a failure: after one poll, then two, then four. A different id is tried at once. */
export class RetryLooks {
  #id: string | undefined
  #left = 0
  #pause = 1

  /** Returns whether to try now. Must be called once per poll. */
  isDue(id: string): boolean {
    if (id !== this.#id) this.reset()
    this.#id = id
    if (this.#left > 0) {
      this.#left--
      return false
    }
    this.#left = this.#pause
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE_LOOKS)
    return true
  }

  /** Makes the next poll try. */
  reset(): void {
    this.#left = 0
    this.#pause = 1
  }
}
