import { RetryLooks } from '../../shared/concurrency/retry-looks.ts'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Release } from '../release/release.ts'
import { checkReleaseId, type Releases } from '../release/releases.ts'
import { FormerRelease } from './former-release.ts'
import { damageOf, isSameDamage, problemsOf } from './release-damage.ts'

/** Interval at which the current release is looked up, in milliseconds. */
const LOOK_MILLISECONDS = 1000

interface CurrentReleaseEvents {
  readonly onSwitch: (id: string) => void
  readonly onFailure: (cause: unknown) => void
}

/** Files that must be intact before a release is served, because access decisions depend on them. */
interface ReleaseGuards {
  /** Returns the paths of the files to verify. */
  readonly paths: () => Iterable<string>
  /**
   * Opens a release and verifies the files.
   * @throws EngineError corrupt_source if one of the files is damaged; not_found without a release
   */
  readonly open: (folder: string) => Promise<Release>
}

/** A release that stays open until the lease ends. */
export interface Lease {
  readonly release: Release
  /** Ends the lease. Repeated calls do nothing. */
  end(): void
  /**
   * Converts an error that occurred while the release was read. Damage is recorded and becomes `unavailable`,
   * because the request was valid and may succeed after a repair.
   */
  errorOf(error: unknown): unknown
}

/** Whether the current release of the data folder is being served. */
export interface ReleaseHealth {
  /**
   * `warming`: no release was looked up yet, or threads are starting. `damaged`: the current release cannot
   * be opened, so an earlier one or none is served. `behind`: other nodes serve a release that is not open
   * here yet. A data folder without any release is `ready`.
   */
  readonly state: 'ready' | 'warming' | 'damaged' | 'behind'
  /** Reason for `behind`. */
  readonly reason?: string
  /** One message per damaged part. For the served release, the parts that cannot be read. */
  readonly problems: readonly string[]
}

/** Release ids announced by the shared state of several nodes. Without `id`, none has been announced. */
interface Announced {
  readonly id?: string | undefined
  readonly beforeId?: string | undefined
}

/**
 * Follows the current release of the data folder, which an import in another process may change. Existing
 * leases continue on the old release, new ones get the new release. If a release exists but cannot be opened,
 * there are no leases, because access decisions require it.
 */
export class CurrentRelease {
  readonly #releases: Releases
  readonly #guards: ReleaseGuards
  readonly #events: CurrentReleaseEvents
  #release: Release | undefined
  #servedSince = new Date(0)
  /** A release that has been opened before it becomes the current one. */
  #prepared: Release | undefined
  readonly #former: FormerRelease
  /** Current and previous release of all nodes. */
  #announced: Announced = {}
  /** Why the current release could not be opened, with its id if known. */
  #rejection: { readonly id: string | undefined; readonly error: EngineError } | undefined
  /** Damage messages of the served release, by file path. */
  #damage = new Map<string, string>()
  readonly #retry = new RetryLooks()
  #looking: Promise<void> | undefined
  #hasLooked = false
  /** Former releases that are still being read. */
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

  /** Opens the current release, if there is one, and starts looking for changes. */
  async start(): Promise<void> {
    await this.look()
    this.#timer ??= setInterval(() => void this.look(), LOOK_MILLISECONDS).unref()
  }

  /**
   * Opens a release that is about to become current, and loads the data that is in memory for the current
   * one, so that the switch takes no time. Only the last such release is kept.
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
    // The release may have become the current one while it was opened.
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

  /** Looks up the current release now. If a new one cannot be opened, the former one remains in service. */
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
      if (id === undefined) this.#requireFirstStart()
      else if ((await this.#isWanted(id)) && this.#retry.isDue(id)) await this.#open(id)
    } catch (cause) {
      this.#reject(id, cause)
    }
  }

  /**
   * Accepts a data folder without current release only if there never was one.
   * @throws EngineError not_found if there was a release before
   */
  #requireFirstStart(): void {
    if (!this.#release && !this.#rejection) return
    throw new EngineError('not_found', `"${this.#releases.path}" contains no release any more`)
  }

  /** Returns whether to open the release: it is not the one that is served, or that one is damaged. */
  async #isWanted(id: string): Promise<boolean> {
    if (this.#closed) return false
    if (id !== this.#release?.id || id === this.#rejection?.id) return true
    await this.#release.requireIntact(this.#guards.paths())
    // The rejected release is no longer the current one.
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
    // An import is completing the first release right now.
    if (isFirst && isUnnamed) return
    if (descriptorShortage(cause)) {
      this.#retry.reset()
      if (this.#release) return
    }
    const before = this.#rejection?.error.message
    const error = rejectionOf(id, cause)
    this.#rejection = { id, error }
    // Each failure is reported once, not every time the current release is looked up.
    if (error.message !== before) this.#events.onFailure(cause)
  }

  /** Closes a release after its last lease. Not awaited, because that lease may end much later. */
  #retire(release: Release): void {
    this.#await(release.close())
  }

  #await(closing: Promise<void>): void {
    const closed = closing
      .catch((cause: unknown) => this.#events.onFailure(cause))
      .finally(() => this.#retired.delete(closed))
    this.#retired.add(closed)
  }

  /** Time at which the current release was opened. */
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
   * Leases the current release.
   * @throws EngineError unavailable if there is none, or none that can be opened
   */
  lease(): Lease {
    const release = this.#release
    if (!release) throw this.#notLoaded()
    return this.#leaseOf(release)
  }

  /**
   * Leases a release by id: the current one, or the previous one if no record of it has been removed since.
   * @throws EngineError bad_input for an invalid id; gone if it is neither of these; unavailable if it is
   *   about to become current; as lease
   */
  async leaseNamed(id: string): Promise<Lease> {
    if (id === this.#release?.id) return this.lease()
    checkNamed(id)
    // The current release may have changed since it was last looked up.
    await this.look()
    const current = this.#release
    if (!current) throw this.#notLoaded()
    if (id === current.id) return this.#leaseOf(current)
    if (id === this.#announced.id) {
      const message = `release "${id}" is not open here yet; try again in a moment`
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

  /** Returns the id of the previous release, unless it has been withdrawn. */
  async #before(): Promise<string | undefined> {
    const before = await this.#releases.before()
    const { id, beforeId } = this.#announced
    return id === undefined || before === beforeId ? before : undefined
  }

  /** Announces the release that all nodes are to serve, and the one before it. */
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
   * Leases a release for access decisions. Returns undefined only if there never was a release, in which case
   * the access given at import applies.
   * @throws EngineError unavailable if there is a release but it cannot be opened
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

/**
 * Validates a release id given in a request.
 * @throws EngineError bad_input naming the parameter, if it is malformed
 */
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
  const message = `release "${id}" is not open here; ${ids.join(' and ')} can be requested: begin again with one of these`
  return new EngineError('gone', message, { at: 'release' })
}

function rejectionOf(id: string | undefined, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const named = id === undefined ? '' : ` "${id}"`
  return new EngineError('unavailable', `the data release${named} cannot be opened: ${reason}`, {
    cause,
  })
}
