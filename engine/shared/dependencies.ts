import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Availability } from './availability.ts'
import type { ObjectStore } from './blobs/object-store.ts'
import type { Database } from './database/database.ts'

/** State of the external dependencies of the service. Contains no host names or paths. */
export interface Dependencies {
  readonly database: { readonly kind: 'embedded' | 'postgresql'; readonly state: Availability }
  /** Absent if no object storage is configured. */
  readonly objectStorage?: { readonly state: Availability }
  readonly disk: DiskFacts
}

/** The disk of the data folder. */
export interface DiskFacts {
  readonly state: Availability
  /** Bytes that are available to this user. 0 while the disk cannot be reached. */
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface DependencyTimes {
  /** Milliseconds for which a result is reused. */
  readonly keep: number
  /** Milliseconds after which a dependency without an answer counts as away. */
  readonly answer: number
}

const DEPENDENCY_TIMES: DependencyTimes = Object.freeze({ keep: 5_000, answer: 3_000 })

interface DependencySources {
  readonly database: Database
  readonly objects: ObjectStore | undefined
  readonly dataFolder: string
  /** Bytes to keep free on the disk. */
  readonly reserveBytes: number
  readonly times?: Partial<DependencyTimes> | undefined
}

/** Checks the dependencies of the service. Results are reused, so that frequent calls cause few checks. */
export class DependencyProbes {
  readonly #ttlMilliseconds: number
  readonly #kind: Dependencies['database']['kind']
  readonly #database: () => Promise<Availability>
  readonly #objects: (() => Promise<Availability>) | undefined
  readonly #disk: () => Promise<DiskFacts>
  #found: { readonly facts: Promise<Dependencies>; readonly until: number } | undefined

  constructor({ database, objects, dataFolder, reserveBytes, times }: DependencySources) {
    const { keep, answer } = { ...DEPENDENCY_TIMES, ...times }
    this.#ttlMilliseconds = keep
    this.#kind = database.dialect === 'postgresql' ? 'postgresql' : 'embedded'
    this.#database = timely(() => database.availability(), 'away', answer)
    this.#objects = objects && timely(() => objects.availability(), 'away', answer)
    this.#disk = timely(() => diskFacts(dataFolder, reserveBytes), NO_DISK, answer)
  }

  /** Returns the state of the dependencies, at most a few seconds old. Never rejects. */
  current(): Promise<Dependencies> {
    const now = performance.now()
    if (this.#found === undefined || now >= this.#found.until) {
      this.#found = { facts: this.#look(), until: now + this.#ttlMilliseconds }
    }
    return this.#found.facts
  }

  async #look(): Promise<Dependencies> {
    const [state, objects, disk] = await Promise.all([
      this.#database(),
      this.#objects?.(),
      this.#disk(),
    ])
    return {
      database: { kind: this.#kind, state },
      ...(objects && { objectStorage: { state: objects } }),
      disk,
    }
  }
}

/** Wraps a check with a time limit. A late check counts as failed and is not repeated while it is pending. */
function timely<Answer>(
  ask: () => Promise<Answer>,
  away: Answer,
  milliseconds: number,
): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined
  return async () => {
    asked ??= ask()
      .catch(() => away)
      .finally(() => {
        asked = undefined
      })
    const answered = new AbortController()
    const late = sleep(milliseconds, away, { signal: answered.signal })
    late.catch(() => {})
    return Promise.race([asked, late]).finally(() => answered.abort())
  }
}

const NO_DISK: DiskFacts = Object.freeze({ state: 'away', freeBytes: 0, totalBytes: 0 })

/** Returns the state of a disk. It is full if less than the reserve is free: writes are then rejected. */
async function diskFacts(folder: string, reserveBytes: number): Promise<DiskFacts> {
  const { bsize, bavail, blocks } = await statfs(folder)
  const freeBytes = bsize * bavail
  return {
    state: freeBytes > reserveBytes ? 'available' : 'full',
    freeBytes,
    totalBytes: bsize * blocks,
  }
}
