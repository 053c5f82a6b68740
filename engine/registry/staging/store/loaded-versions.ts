import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { touch } from '../../../shared/concurrency/lru-cache.ts'
import type { VersionName } from './entities.ts'
import { LoadedVersion } from './loaded-version.ts'
import { versionMissing } from './missing.ts'
import type { StagingReads, StagingRepository } from './repository.ts'
import type { StoredVersion } from './stored.ts'

/** Versions that are cached; the one that was not asked for longest goes first. */
const MAX_CACHED_VERSIONS = 8

/** Versions as they are in the database now, cached until another revision is there. */
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

  /** The version as it is now or later; undefined where it was deleted meanwhile. */
  async read(stored: StoredVersion): Promise<LoadedVersion | undefined> {
    const key = keyOf(stored)
    const known = this.#knownOf(key, stored.revision)
    if (known) return known
    const reading = this.#reading.get(key)
    if (reading) {
      const loaded = await reading
      // It may have begun before the edit that the caller knows of.
      if (loaded && loaded.revision >= stored.revision) return loaded
      return this.read(stored)
    }
    const started = this.#readAll(stored).finally(() => this.#reading.delete(key))
    this.#reading.set(key, started)
    return started
  }

  /**
   * The version as it is now or later.
   * @throws EngineError not_found where it was deleted meanwhile
   */
  async require(stored: StoredVersion): Promise<LoadedVersion> {
    return (await this.read(stored)) ?? versionMissing(stored)
  }

  /** The version as it is inside a transaction; not cached, since that may be rolled back. */
  async readNow(reads: StagingReads, stored: StoredVersion): Promise<LoadedVersion> {
    const known = this.#knownOf(keyOf(stored), stored.revision)
    return known ?? LoadedVersion.read(reads, stored, this.#known(stored))
  }

  /** Keeps what was read or stored as the newest of its version. */
  keep(loaded: LoadedVersion): LoadedVersion {
    const key = keyOf(loaded.name)
    const before = this.#cached.get(key)
    if (before && before.revision > loaded.revision) return loaded
    touch(this.#cached, key, loaded, MAX_CACHED_VERSIONS)
    return loaded
  }

  /** Forgets a version; it is read and compiled anew when it is next asked for. */
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

/** No name has a slash in it. */
function keyOf({ algorithm, version }: VersionName): string {
  return `${algorithm}/${version}`
}
