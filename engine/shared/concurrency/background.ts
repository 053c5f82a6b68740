export interface BackgroundEvents {
  /** Called with the key of what was made. */
  readonly onBuilt: (key: string) => void
  readonly onFailed: (key: string, error: unknown) => void
}

/** Behind everything that a request waits for. */
export const BACKGROUND_PRIORITY = 9

/**
 * Makes what can be done without for a while, one at a time. What fails is not tried again until its
 * state changes.
 */
export class BackgroundWork {
  readonly #events: BackgroundEvents
  readonly #stop = new AbortController()
  /** Key and state of what is queued, under way, or has failed. */
  readonly #known = new Set<string>()
  #tail: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(events: BackgroundEvents) {
    this.#events = events
  }

  /** How many are queued or under way. */
  get queued(): number {
    return this.#queued
  }

  /** Queues work; does nothing when it is known already. */
  want(key: string, state: string, build: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stop
    const known = `${key}\0${state}`
    if (this.#known.has(known) || signal.aborted) return
    this.#known.add(known)
    this.#queued++
    this.#tail = this.#tail.then(async () => {
      try {
        signal.throwIfAborted()
        await build(signal)
        this.#known.delete(known)
        this.#events.onBuilt(key)
      } catch (error) {
        if (!signal.aborted) this.#events.onFailed(key, error)
      } finally {
        this.#queued--
      }
    })
  }

  /** Resolves when nothing is queued. For tests. */
  async idle(): Promise<void> {
    await this.#tail
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#tail
  }
}
