/** Looks between two tries, at most: of one look per second, a minute. */
const MAX_PAUSE_LOOKS = 64

/** When to try again what failed: after one look, after two, after four. Something else is tried at once. */
export class RetryLooks {
  #id: string | undefined
  #left = 0
  #pause = 1

  /** Whether to try now. Each call is a look. */
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

  /** The next look tries. */
  reset(): void {
    this.#left = 0
    this.#pause = 1
  }
}
