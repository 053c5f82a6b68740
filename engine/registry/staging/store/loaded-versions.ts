import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { touch } from '../../../shared/concurrency/lru-cache.ts'
import type { VersionName } from './entities.ts'
import { LoadedVersion } from './loaded-version.ts'
import { versionMissing } from './missing.ts'
import type { StagingReads, StagingRepository } from './repository.ts'
import type { StoredVersion } from './stored.ts'

/** Maximum number of cached versions. The least recently used is dropped first. */
const MAX_CACHED_VERSIONS = 8

/** Current versions of the database, cached until their revision changes. */
export class LoadedVersions {
  readonly #repository: StagingRepository
  readonly #turns: LoopTurns
  readonly #yearNow: (() => string) | undefined
  readonly #cached = new Map<string, LoadedVersion>()
  readonly #reading = new Map<string, Promise<LoadedVersion | undefined>>()

  constructor(
    repository: StagingRepository,
    turns: LoopTurns,
    yearNow: (() => string) | undefined,
  ) {
    this.#turns = turns
    this.#repository = repository
    this.#yearNow = yearNow
  }

  /** Returns the version at this revision or a later one. Returns undefined if it has been deleted since. */
  async read(stored: StoredVersion): Promise<LoadedVersion | undefined> {
    const key = keyOf(stored)
    const known = this.#knownOf(key, stored.revision)
    if (known) return known
    const reading = this.#reading.get(key)
    if (reading) {
      const loaded = await reading
      // The running read may have started before the edit that the caller has seen.
      if (loaded && loaded.revision >= stored.revision) return loaded
      return this.read(stored)
    }
    const started = this.#readAll(stored).finally(() => this.#reading.delete(key))
    this.#reading.set(key, started)
    return started
  }

  /**
   * Returns the version at this revision or a later one.
   * @throws EngineError `not_found` if it has been deleted since
   */
  async require(stored: StoredVersion): Promise<LoadedVersion> {
    return (await this.read(stored)) ?? versionMissing(stored)
  }

  /** Returns the version as a transaction sees it. It is not cached, because the transaction may be rolled back. */
  async readNow(reads: StagingReads, stored: StoredVersion): Promise<LoadedVersion> {
    const known = this.#knownOf(keyOf(stored), stored.revision)
    return known ?? LoadedVersion.read(reads, stored, this.#known(stored))
  }

  /** Caches a version that was read or stored, unless a newer revision is already cached. */
  keep(loaded: LoadedVersion): LoadedVersion {
    const key = keyOf(loaded.name)
    const before = this.#cached.get(key)
    if (before && before.revision > loaded.revision) return loaded
    touch(this.#cached, key, loaded, MAX_CACHED_VERSIONS)
    return loaded
  }

  /** Removes a version from the cache. The next access reads and compiles it again. */
  drop(name: VersionName): void {
    this.#cached.delete(keyOf(name))
  }

  #readAll(stored: StoredVersion): Promise<LoadedVersion | undefined> {
    return this.#repository.snapshot(async (snapshot) => {
      const now = await snapshot.version(stored)
      if (!now) return undefined
      const how = { ...this.#known(stored), pause: () => this.#turns.pause() }
      return this.keep(await LoadedVersion.read(snapshot, now, how))
    })
  }

  #known(stored: StoredVersion) {
    return { before: this.#cached.get(keyOf(stored)), yearNow: this.#yearNow }
  }

  #knownOf(key: string, revision: number): LoadedVersion | undefined {
    const known = this.#cached.get(key)
    if (known?.revision !== revision) return undefined
    touch(this.#cached, key, known, MAX_CACHED_VERSIONS)
    return known
  }
}

/** Unambiguous, because names cannot contain a slash. */
function keyOf({ algorithm, version }: VersionName): string {
  return `${algorithm}/${version}`
}
