import { mkdir } from 'node:fs/promises'
import {
  Commons,
  type CommonsCheck,
  type CommonsLimits,
  type ReleaseLoad,
} from './commons/commons.ts'
import { openStored } from './commons/files/download/stored-bytes.ts'
import type { Presigning } from './commons/files/links/presigned-links.ts'
import { CancerRegistry } from './registry/cancer-registry.ts'
import { checkDatabase } from './shared/catalogue/check-state.ts'
import { StateCache } from './shared/catalogue/state-cache.ts'
import { Retries } from './shared/concurrency/retries.ts'
import { databasePath } from './shared/database/open.ts'
import type { DatabaseTimes } from './shared/database/postgresql/server-watch.ts'
import type { StartThread } from './shared/database/sqlite/protocol.ts'
import { type Dependencies, DependencyProbes, type DependencyTimes } from './shared/dependencies.ts'
import { type DiskState, isDiskFull } from './shared/disk-space.ts'
import type { Scrub } from './shared/integrity/scrub.ts'
import { scrubOf } from './shared/integrity/scrub-of.ts'
import type { Issue } from './shared/issue.ts'
import { Shared, type SharedOptions } from './shared/shared.ts'
import { WORK_KINDS } from './shared/work/kinds.ts'
import type { KindLoad } from './shared/work/task-store.ts'
import { sharedState, submissionDatabase } from './shared-state.ts'
import { Submissions } from './submission/submissions.ts'

export interface EngineOptions extends SharedOptions {
  /** Files that clients may download by presigned URLs of object storage. By default none. */
  readonly presigning?: Presigning | undefined
  /** Limits on memory, concurrency and caches of this process. */
  readonly limits?: Partial<CommonsLimits>
  /** Bytes per second that the background scrub reads to verify stored files. By default 0, which disables it. */
  readonly scrubBytesPerSecond?: number | undefined
  /** Folder of a data dictionary. By default that of the package. */
  readonly dictionaryFolder?: string | undefined
  /** File that assigns staging algorithms to tumors. Read for each staged registry file. */
  readonly algorithmTable?: string | undefined
  /** File of edit rules for registry files. Read for each edited registry file. */
  readonly editRules?: string | undefined
  /**
   * URL of a PostgreSQL database for submissions and shared state (see sharedState). If undefined, the state is
   * in SQLite databases in the data folder.
   */
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
  /**
   * Whether pending migrations of the PostgreSQL database run when it is opened. By default true. If false,
   * `casemill state migrate` must run them.
   */
  readonly stateMigrates?: boolean | undefined
  /**
   * Number of processes that serve the data folder at the same time, including this one. By default 1. If there
   * are more, the program that starts them must lock the folder for all (takeFolder). Another process completes
   * the work of a dead one within about a minute.
   */
  readonly processes?: number | undefined
  /** Kinds of background tasks to run. Defaults to all. */
  readonly workKinds?: readonly string[] | undefined
  readonly dependencyTimes?: Partial<DependencyTimes> | undefined
  /** Starts the thread for the SQLite connections of submissions. Defaults to the calling thread. */
  readonly startDatabaseThread?: StartThread | undefined
}

/** Opens a data folder. Creates it if it does not exist. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await mkdir(options.dataFolder, { recursive: true })
  return new Engine(options)
}

/** The whole engine on one data folder. Close it after use. */
export class Engine {
  readonly shared: Shared
  readonly commons: Commons
  readonly submission: Submissions
  readonly registry: CancerRegistry
  readonly #scrub: Scrub | undefined
  readonly #dependencies: DependencyProbes
  readonly #workKinds: readonly string[] | undefined
  readonly #retries = new Retries()

  constructor(options: EngineOptions) {
    const { clock, dictionaryFolder, scrubBytesPerSecond = 0, stateUrl, processes = 1 } = options
    const cache = stateUrl === undefined ? undefined : new StateCache({ url: stateUrl })
    const shared = new Shared(options, sharedState(options), cache)
    const database = submissionDatabase(options, options.startDatabaseThread)
    const isAlone = stateUrl === undefined && processes === 1
    this.shared = shared
    this.#workKinds = options.workKinds
    const arriving = (id: string) => this.submission.files.arriving(id)
    this.commons = new Commons(shared, options.limits, options.presigning, arriving)
    this.submission = new Submissions(shared, this.commons, { database, dictionaryFolder, isAlone })
    this.registry = new CancerRegistry(shared, {
      yearNow: clock && (() => String(clock().getFullYear())),
      algorithmTable: options.algorithmTable,
      editRules: options.editRules,
    })
    this.#scrub = scrubOf(shared, (file) => openStored(shared.blobs, file), {
      bytesPerSecond: scrubBytesPerSecond,
      isAlone,
    })
    this.#dependencies = new DependencyProbes({
      database,
      objects: shared.objects,
      dataFolder: shared.dataFolder,
      reserveBytes: shared.space.reserveBytes,
      times: options.dependencyTimes,
    })
  }

  /**
   * Starts serving: opens the current release and follows its changes, recovers submissions that were
   * interrupted when a server died, and starts background tasks. If the disk is full, recovery is retried in the
   * background while reads are served.
   * @throws EngineError like Submissions.start and openDatabase
   */
  async start(): Promise<void> {
    await this.submission.start()
    await this.commons.start()
    await this.commons.followOthers()
    const recover = () => this.submission.recover()
    await recover().catch((cause: unknown) => {
      if (!isDiskFull(cause)) throw cause
      const message = 'the disk is full: what is there is served, and nothing can be written'
      this.shared.report({ level: 'error', message, cause })
      this.#retries.add(recover)
    })
    this.#scrub?.start()
    this.shared.audit?.start()
    this.startWork()
    this.commons.slicing.startRenewing()
  }

  /** Starts background tasks. A process that does nothing else calls this instead of `start`. */
  startWork(): void {
    this.shared.work.start(this.#workKinds)
  }

  /** Verifies the data folder and yields each problem. With `isDeep`, also reads all bytes of stored files. */
  async *check(run: CommonsCheck = {}): AsyncGenerator<Issue> {
    yield* this.registry.check()
    yield* checkDatabase(this.submission.database, databasePath(this.shared.dataFolder))
    yield* this.submission.check()
    yield* this.commons.check(run)
  }

  /** Returns the space of the data folder, and whether the recovery of `start` still waits for space. */
  async disk(): Promise<DiskState & { readonly isWaiting: boolean }> {
    return { ...(await this.shared.space.state()), isWaiting: this.#retries.count > 0 }
  }

  /** Returns figures for monitoring. */
  load() {
    const idle = { scrubbedBytes: 0, scrubbedFiles: 0, lastScrubSeconds: 0 }
    const uncached = { stateCacheHits: 0, stateCacheMisses: 0 }
    const unrecorded = { auditKept: 0, auditLines: 0, auditFailures: 0 }
    const { integrity, cache, audit } = this.shared
    return {
      ...this.commons.load(),
      ...this.registry.load(),
      ...this.submission.files.load(),
      ...integrity.load(),
      ...(this.#scrub?.load() ?? idle),
      ...(cache?.load() ?? uncached),
      ...(audit?.load() ?? unrecorded),
    }
  }

  /** Returns the number of background tasks of each kind by state. */
  async workLoads(): Promise<readonly KindLoad[]> {
    const loads = new Map((await this.shared.work.loads()).map((load) => [load.kind, load]))
    const none = { waiting: 0, running: 0, failed: 0, oldest: null }
    return WORK_KINDS.map((kind) => loads.get(kind) ?? { kind, ...none })
  }

  /** Returns facts about the current release. See Commons.releaseLoad. */
  releaseLoad(): ReleaseLoad | undefined {
    return this.commons.releaseLoad()
  }

  /** Returns the state of the database, the object storage and the disk. See DependencyProbes. */
  dependencies(): Promise<Dependencies> {
    return this.#dependencies.current()
  }

  /** Stops background work and closes all files. */
  async close(): Promise<void> {
    await this.shared.work.close()
    await this.#scrub?.close()
    await this.#retries.close()
    await this.submission.close()
    await this.commons.close()
    await this.shared.close()
  }
}
