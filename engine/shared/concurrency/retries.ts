const RETRY_MILLISECONDS = 5000

type Act = () => Promise<unknown>

/** Does again, until it succeeds, what failed for something that passes by itself. */
export class Retries {
  readonly #acts = new Set<Act>()
  readonly #milliseconds: number
  #timer: NodeJS.Timeout | undefined
  #trying: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(milliseconds = RETRY_MILLISECONDS) {
    this.#milliseconds = milliseconds
  }

  /** How many have not succeeded yet. */
  get count(): number {
    return this.#acts.size
  }

  /** @param act may be broken off at whatever moment and done again */
  add(act: Act): void {
    this.#acts.add(act)
    this.#wait()
  }

  /** Tries none again; resolves when the last try has ended. */
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
