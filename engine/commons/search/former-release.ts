import { EngineError } from '../../shared/errors.ts'
import type { Release } from '../release/release.ts'
import { takenOut } from './taken-out.ts'

/** Time after which an unused release is closed. */
const IDLE_MILLISECONDS = 60_000

interface Opened {
  readonly id: string
  /** Id of the current release when this one was opened. */
  readonly currentId: string
  readonly release: Promise<Release>
}

/**
 * The previous release, for clients that are still paging through it. It is opened on request, and only if
 * the current release has all of its ids, so that removed records are never shown again.
 */
export class FormerRelease {
  readonly #open: (id: string) => Promise<Release>
  readonly #onClosed: (closing: Promise<void>) => void
  #opened: Opened | undefined
  #askedAt = 0

  /** @param onClosed called with the closing of a release, which resolves when it is no longer used */
  constructor(open: (id: string) => Promise<Release>, onClosed: (closing: Promise<void>) => void) {
    this.#open = open
    this.#onClosed = onClosed
  }

  /**
   * Opens the previous release.
   * @throws EngineError gone if records have been removed since; whatever opening a release throws
   */
  async get(id: string, current: Release): Promise<Release> {
    this.#askedAt = performance.now()
    const { id: openId, currentId } = this.#opened ?? {}
    if (openId !== id || currentId !== current.id) {
      this.drop()
      const release = this.#openProved(id, current)
      const opened = { id, currentId: current.id, release }
      this.#opened = opened
      release.catch((error: unknown) => {
        // A removal is permanent, other failures may be temporary.
        const isFinal = error instanceof EngineError && error.code === 'gone'
        if (!isFinal && this.#opened === opened) this.#opened = undefined
      })
    }
    // TypeScript cannot infer that `#opened` was assigned above.
    return (this.#opened as Opened).release
  }

  async #openProved(id: string, current: Release): Promise<Release> {
    const lease = current.retain()
    try {
      const release = await this.#open(id)
      const field = await takenOut(release, current).catch(async (error: unknown) => {
        await release.close()
        throw error
      })
      if (field === undefined) return release
      await release.close()
      const message = `release "${id}" is not shown any more: records of it were taken out since (${field}); begin again with release "${current.id}"`
      throw new EngineError('gone', message, { at: 'release' })
    } finally {
      lease.release()
    }
  }

  /** Closes a release that has not been requested lately. */
  tidy(): void {
    if (performance.now() - this.#askedAt > IDLE_MILLISECONDS) this.drop()
  }

  /** Closes the release once its last lease ends. */
  drop(): void {
    const opened = this.#opened
    this.#opened = undefined
    if (!opened) return
    this.#onClosed(
      opened.release.then(
        (release) => release.close(),
        () => {},
      ),
    )
  }
}
