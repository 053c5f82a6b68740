import { EngineError } from '../../shared/errors.ts'
import type { Release } from '../release/release.ts'
import { takenOut } from './taken-out.ts'

/** For which a release that nobody asks for stays open. */
const IDLE_MILLISECONDS = 60_000

interface Opened {
  readonly id: string
  /** The release that it was compared with. */
  readonly currentId: string
  readonly release: Promise<Release>
}

/**
 * The release before the current one, for who pages through it still: opened when it is asked for, and only
 * when the current one has every id that it has. What was taken out since is not shown again.
 */
export class FormerRelease {
  readonly #open: (id: string) => Promise<Release>
  readonly #onClosed: (closing: Promise<void>) => void
  #opened: Opened | undefined
  #askedAt = 0

  /** @param onClosed is given the end of a release that may be in use still */
  constructor(open: (id: string) => Promise<Release>, onClosed: (closing: Promise<void>) => void) {
    this.#open = open
    this.#onClosed = onClosed
  }

  /**
   * @throws EngineError gone when something was taken out of it since; as the release is opened
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
        // That something was taken out stays so; all else may pass.
        const isFinal = error instanceof EngineError && error.code === 'gone'
        if (!isFinal && this.#opened === opened) this.#opened = undefined
      })
    }
    // Set above; TypeScript does not see it.
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

  /** Closes what nobody has asked for lately. */
  tidy(): void {
    if (performance.now() - this.#askedAt > IDLE_MILLISECONDS) this.drop()
  }

  /** Closes it when the last lease ends. */
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
