import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Release } from '../release/release.ts'
import { checkReleaseId, type Releases } from '../release/releases.ts'
import { FormerRelease } from './former-release.ts'
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
   * or an earlier one. `behind`: of several nodes the others serve another one, which is not open here yet. A
   * data folder in which there has never been a release is `ready`.
   */
  readonly state: 'ready' | 'warming' | 'damaged' | 'behind'
  /** Of `behind`. */
  readonly reason?: string
  /** What is damaged, one text for each; of a release that is served, what cannot be had of it. */
  readonly problems: readonly string[]
}

/** What is said of the releases that several nodes have in common; without `id` nothing is. */
interface Announced {
  readonly id?: string | undefined
  readonly beforeId?: string | undefined
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
  /** One that is about to become the current one. */
  #prepared: Release | undefined
  readonly #former: FormerRelease
  /** Of several nodes: what all are to serve, and what they did before. */
  #announced: Announced = {}
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
    this.#former = new FormerRelease(
      (id) => guards.open(releases.folder(id)),
      (closing) => this.#await(closing),
    )
  }

  /** Opens the current release, if there is one, and follows the pointer from now on. */
  async start(): Promise<void> {
    await this.look()
    this.#timer ??= setInterval(() => void this.look(), LOOK_MILLISECONDS).unref()
  }

  /**
   * Opens a release that is about to become the current one, with what the current one has in memory, so
   * that the switch takes no time. Only the last one that was prepared is kept.
   * @throws EngineError as the guards' open
   */
  async prepare(id: string, signal?: AbortSignal): Promise<void> {
    if (this.#closed || id === this.#release?.id || id === this.#prepared?.id) return
    const next = await this.#guards.open(this.#releases.folder(id))
    try {
      if (this.#release) await next.warmAs(this.#release, signal)
    } catch (error) {
      await next.close()
      throw error
    }
    // Somebody else may have named it meanwhile.
    if (this.#closed || id === this.#release?.id) return await next.close()
    const before = this.#prepared
    this.#prepared = next
    await before?.close()
  }

  #takePrepared(id: string): Release | undefined {
    const prepared = this.#prepared
    if (prepared?.id !== id) return undefined
    this.#prepared = undefined
    return prepared
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
    this.#former.tidy()
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
    const next = this.#takePrepared(id) ?? (await this.#guards.open(folder))
    const before = this.#release
    const isAgain = before?.id === id
    const found = isAgain ? this.#damage : new Map<string, string>()
    const damage = await damageOf(next, folder, found)
    const isSame = isAgain && !this.#rejection && isSameDamage(damage, found)
    if (this.#closed || isSame) return await next.close()
    if (before) this.#retire(before)
    if (!isAgain) this.#former.drop()
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
    this.#await(release.close())
  }

  #await(closing: Promise<void>): void {
    const closed = closing
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
    if (!release) throw this.#notLoaded()
    return this.#leaseOf(release)
  }

  /**
   * As `lease`, of a release that was named: the current one, or the one before as long as nothing was
   * taken out of it.
   * @throws EngineError bad_input when the id cannot be one; gone when it is none of these; unavailable
   *   when it is about to be the current one; as lease
   */
  async leaseNamed(id: string): Promise<Lease> {
    if (id === this.#release?.id) return this.lease()
    checkNamed(id)
    // It may have been named within the last second.
    await this.look()
    const current = this.#release
    if (!current) throw this.#notLoaded()
    if (id === current.id) return this.#leaseOf(current)
    if (id === this.#announced.id) {
      const message = `release "${id}" is not open here yet; ask again in a moment`
      throw new EngineError('unavailable', message, { at: 'release', retryAfterSeconds: 1 })
    }
    const before = await this.#before()
    if (id !== before) throw notOpen(id, [current.id, before])
    try {
      return this.#leaseOf(await this.#former.get(id, current))
    } catch (error) {
      if (error instanceof EngineError && error.code === 'not_found')
        throw notOpen(id, [current.id])
      throw error
    }
  }

  /** The release before, unless it was withdrawn. */
  async #before(): Promise<string | undefined> {
    const before = await this.#releases.before()
    const { id, beforeId } = this.#announced
    return id === undefined || before === beforeId ? before : undefined
  }

  /** Says which release all nodes are to serve, before this one does, and which was the one before. */
  announce({ id, beforeId }: Announced): void {
    this.#announced = { id, beforeId }
  }

  #notLoaded(): EngineError {
    const missing = 'no data release is loaded; make one with casemill import commons'
    return this.#rejection?.error ?? new EngineError('unavailable', missing)
  }

  #leaseOf(release: Release): Lease {
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
    await this.#prepared?.close()
    this.#former.drop()
    if (this.#release) this.#retire(this.#release)
    await Promise.all(this.#retired)
  }
}

/** @throws EngineError bad_input */
function checkNamed(id: string): void {
  try {
    checkReleaseId(id)
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause
    throw new EngineError('bad_input', `parameter release: ${cause.message}`, { at: 'release' })
  }
}

function notOpen(id: string, open: readonly (string | undefined)[]): EngineError {
  const ids = open.filter((each) => each !== undefined).map((each) => `"${each}"`)
  const message = `release "${id}" is not open here; ${ids.join(' and ')} can be asked for: begin again with one of these`
  return new EngineError('gone', message, { at: 'release' })
}

function rejectionOf(id: string | undefined, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const named = id === undefined ? '' : ` "${id}"`
  return new EngineError('unavailable', `the data release${named} cannot be opened: ${reason}`, {
    cause,
  })
}
