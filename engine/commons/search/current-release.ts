import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Release } from '../release/release.ts'
import type { Releases } from '../release/releases.ts'
import { damageOf, isSameDamage, problemsOf } from './release-damage.ts'
import { RetryLooks } from './retry-looks.ts'

/** How often the pointer to the current release is looked at. */
const LOOK_MILLISECONDS = 1000

export interface CurrentReleaseEvents {
  readonly onSwitch: (id: string) => void
  readonly onFailure: (cause: unknown) => void
}

/** What a release is not served without: that by which it is decided who may have something. */
export interface ReleaseGuards {
  /** Paths of its files. */
  readonly paths: () => Iterable<string>
  /** @throws EngineError corrupt_source when one of them is damaged; not_found without a release */
  readonly open: (folder: string) => Promise<Release>
}

/** A release that stays open until it is given back. */
export interface Lease {
  readonly release: Release
  /** Again does no harm. */
  end(): void
  /**
   * The error to answer with, of one that came up while the release was read. Damage of the release
   * is noted; the request was in order, and may succeed when that is repaired: unavailable.
   */
  errorOf(error: unknown): unknown
}

/** Whether the release that should be served is. */
export interface ReleaseHealth {
  /**
   * `warming`: nobody has looked for it yet, or threads are being made ready. `damaged`: it cannot be opened, so that nothing is served
   * or an earlier one. A data folder in which there has never been a release is `ready`.
   */
  readonly state: 'ready' | 'warming' | 'damaged'
  /** What is damaged, one text for each; of a release that is served, what cannot be had of it. */
  readonly problems: readonly string[]
}

/**
 * The release that is served. Follows the pointer of the data folder, which an import in another
 * process moves: who has a lease finishes on the old release, who comes later gets the new one. That
 * there has never been a release is distinguished from one that cannot be opened: then nothing is
 * leased, so that nothing is decided without it.
 */
export class CurrentRelease {
  readonly #releases: Releases
  readonly #guards: ReleaseGuards
  readonly #events: CurrentReleaseEvents
  #release: Release | undefined
  #servedSince = new Date(0)
  /** Why what should be served is not, and which release that is, if it can be said. */
  #rejection: { readonly id: string | undefined; readonly error: EngineError } | undefined
  /** Of the release that is served. */
  #damage = new Map<string, string>()
  readonly #retry = new RetryLooks()
  #looking: Promise<void> | undefined
  #hasLooked = false
  /** Old releases that somebody is still reading. */
  readonly #retired = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(releases: Releases, guards: ReleaseGuards, events: CurrentReleaseEvents) {
    this.#releases = releases
    this.#guards = guards
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
      this.#hasLooked = true
    })
    return this.#looking
  }

  async #follow(): Promise<void> {
    let id: string | undefined
    try {
      id = await this.#releases.current()
      if (id === undefined) this.#mustBeFirst()
      else if ((await this.#isWanted(id)) && this.#retry.isDue(id)) await this.#open(id)
    } catch (cause) {
      this.#reject(id, cause)
    }
  }

  /** @throws EngineError not_found when there was a release before */
  #mustBeFirst(): void {
    if (!this.#release && !this.#rejection) return
    throw new EngineError('not_found', `"${this.#releases.path}" holds no release any more`)
  }

  /** Whether the release is to be opened: another one is served, or something is wrong with it. */
  async #isWanted(id: string): Promise<boolean> {
    if (this.#closed) return false
    if (id !== this.#release?.id || id === this.#rejection?.id) return true
    await this.#release.mustBeIntact(this.#guards.paths())
    // What was refused is not named any more.
    this.#rejection = undefined
    return this.#damage.size > 0
  }

  async #open(id: string): Promise<void> {
    const folder = this.#releases.folder(id)
    const next = await this.#guards.open(folder)
    const before = this.#release
    const isAgain = before?.id === id
    const found = isAgain ? this.#damage : new Map<string, string>()
    const damage = await damageOf(next, folder, found)
    const isSame = isAgain && !this.#rejection && isSameDamage(damage, found)
    if (this.#closed || isSame) return await next.close()
    if (before) this.#retire(before)
    this.#release = next
    if (!isAgain) this.#servedSince = new Date()
    this.#damage = damage
    this.#rejection = undefined
    if (damage.size === 0) this.#retry.reset()
    this.#events.onSwitch(id)
    for (const errorOf of next.errors) this.#events.onFailure(errorOf)
  }

  #reject(id: string | undefined, cause: unknown): void {
    const isFirst = this.#hasLooked && !this.#release && !this.#rejection
    const isUnnamed = id === undefined && cause instanceof EngineError && cause.code === 'not_found'
    // An import under way is about to name the first release.
    if (isFirst && isUnnamed) return
    if (descriptorShortage(cause)) {
      this.#retry.reset()
      if (this.#release) return
    }
    const before = this.#rejection?.error.message
    const error = rejectionOf(id, cause)
    this.#rejection = { id, error }
    // Not complained of every second.
    if (error.message !== before) this.#events.onFailure(cause)
  }

  /** Not awaited by who follows the pointer: the last lease may be given back much later. */
  #retire(release: Release): void {
    const closed = release
      .close()
      .catch((cause: unknown) => this.#events.onFailure(cause))
      .finally(() => this.#retired.delete(closed))
    this.#retired.add(closed)
  }

  /** When this one was opened in place of another, or as the first. */
  get servedSince(): Date {
    return this.#servedSince
  }

  get release(): Release | undefined {
    return this.#release
  }

  get health(): ReleaseHealth {
    const refused = this.#rejection ? [this.#rejection.error.message] : []
    const problems = [...refused, ...problemsOf(this.#damage)]
    if (!this.#hasLooked) return { state: 'warming', problems }
    return { state: this.#rejection ? 'damaged' : 'ready', problems }
  }

  /**
   * Keeps the current release open.
   * @throws EngineError unavailable when there is none, or none that can be opened
   */
  lease(): Lease {
    const release = this.#release
    if (!release) {
      const missing = 'no data release is loaded; make one with casemill import commons'
      throw this.#rejection?.error ?? new EngineError('unavailable', missing)
    }
    const held = release.retain()
    let ended = false
    return {
      release,
      end: () => {
        if (!ended) held.release()
        ended = true
      },
      errorOf: (error) => this.#errorOf(release, error),
    }
  }

  /**
   * As `lease`, for who decides by the release what somebody may have; `undefined` only where there
   * has never been a release, so that what was said at import holds.
   * @throws EngineError unavailable when there is one that cannot be opened
   */
  async leaseForGuards(): Promise<Lease | undefined> {
    if (!this.#hasLooked) await this.look()
    return this.#release || this.#rejection ? this.lease() : undefined
  }

  #errorOf(release: Release, error: unknown): unknown {
    if (!(error instanceof EngineError) || error.code !== 'corrupt_source') return error
    const { at = '', message } = error
    if (!release.manifest.files[at] || descriptorShortage(error)) return error
    if (release === this.#release && !this.#damage.has(at)) {
      this.#damage.set(at, message)
      this.#retry.reset()
    }
    return new EngineError('unavailable', message, { cause: error })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
    if (this.#release) this.#retire(this.#release)
    await Promise.all(this.#retired)
  }
}

function rejectionOf(id: string | undefined, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const named = id === undefined ? '' : ` "${id}"`
  return new EngineError('unavailable', `the data release${named} cannot be opened: ${reason}`, {
    cause,
  })
}
