import { EngineError } from '../errors.ts'
import { Release } from '../release/release.ts'
import type { Releases } from '../release/releases.ts'

/** How often the pointer to the current release is looked at. */
const LOOK_MILLISECONDS = 1000

export interface CurrentReleaseEvents {
  readonly onSwitch: (id: string) => void
  readonly onFailure: (cause: unknown) => void
}

/** A release that stays open until it is given back. */
export interface Lease {
  readonly release: Release
  /** Again does no harm. */
  end(): void
}

/**
 * The release that is served. Follows the pointer of the data folder, which an import in another
 * process moves: who has a lease finishes on the old release, who comes later gets the new one.
 */
export class CurrentRelease {
  readonly #releases: Releases
  readonly #events: CurrentReleaseEvents
  #release: Release | undefined
  #looking: Promise<void> | undefined
  #refused: string | undefined
  /** Old releases that somebody is still reading. */
  readonly #retired = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(releases: Releases, events: CurrentReleaseEvents) {
    this.#releases = releases
    this.#events = events
  }

  /** Opens the current release, if there is one, and follows the pointer from now on. */
  async start(): Promise<void> {
    await this.look()
    this.#timer ??= setInterval(() => void this.look(), LOOK_MILLISECONDS).unref()
  }

  /** Looks at the pointer now. A release that cannot be opened leaves the old one in service. */
  look(): Promise<void> {
    this.#looking ??= this.#follow().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #follow(): Promise<void> {
    let id: string | undefined
    try {
      id = await this.#releases.current()
      // One that was refused is not tried, and not complained of, every second.
      if (id === undefined || id === this.#release?.id || id === this.#refused) return
      const next = await Release.open(this.#releases.folder(id))
      if (this.#closed) return await next.close()
      if (this.#release) this.#retire(this.#release)
      this.#release = next
      this.#refused = undefined
      this.#events.onSwitch(id)
    } catch (cause) {
      this.#refused = id
      this.#events.onFailure(cause)
    }
  }

  /** Not awaited by who follows the pointer: the last lease may be given back much later. */
  #retire(release: Release): void {
    const closed = release
      .close()
      .catch((cause: unknown) => this.#events.onFailure(cause))
      .finally(() => this.#retired.delete(closed))
    this.#retired.add(closed)
  }

  get release(): Release | undefined {
    return this.#release
  }

  /**
   * Keeps the current release open.
   * @throws EngineError unavailable when there is none
   */
  lease(): Lease {
    const release = this.#release
    if (!release) {
      throw new EngineError(
        'unavailable',
        'no data release is loaded; make one with casemill import commons',
      )
    }
    const held = release.retain()
    let ended = false
    return {
      release,
      end: () => {
        if (!ended) held.release()
        ended = true
      },
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
    if (this.#release) this.#retire(this.#release)
    await Promise.all(this.#retired)
  }
}
