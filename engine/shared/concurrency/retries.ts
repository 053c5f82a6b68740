const RETRY_MILLISECONDS = 5000

type Act = () => Promise<unknown>

/** Retries operations that failed for a temporary reason until they succeed. */
export class Retries {
  readonly #acts = new Set<Act>()
  readonly #milliseconds: number
  #timer: NodeJS.Timeout | undefined
  #trying: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(milliseconds = RETRY_MILLISECONDS) {
    this.#milliseconds = milliseconds
  }

  /** Number of operations that have not succeeded yet. */
  get count(): number {
    return this.#acts.size
  }

  /**
   * Schedules an operation.
   * @param act must be safe to interrupt and repeat at any point
   */
  add(act: Act): void {
    this.#acts.add(act)
    this.#wait()
  }

  /** Stops retrying. Resolves when the current attempt has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#trying
  }

  #wait(): void {
    if (this.#isClosed || this.#timer || this.#acts.size === 0) return
    this.#timer = setTimeout(() => {
      this.#trying = this.#tryAll()
    }, this.#milliseconds)
    this.#timer.unref()
  }

  async #tryAll(): Promise<void> {
    for (const act of this.#acts) {
      const isDone = await act().then(
        () => true,
        () => false,
      )
      if (isDone) this.#acts.delete(act)
      if (this.#isClosed) return
    }
    this.#timer = undefined
    this.#wait()
  }
}
