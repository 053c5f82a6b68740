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
  /** Which files object storage gives to clients by addresses of its own; none by default. */
  readonly presigning?: Presigning | undefined
  /** Of this process. */
  readonly limits?: Partial<CommonsLimits>
  /** Bytes of stored files a second that are compared in the background once it serves; 0 is none. */
  readonly scrubBytesPerSecond?: number | undefined
  /** Folder of a dictionary of entity types; without it, the project's own. */
  readonly dictionaryFolder?: string | undefined
  /** File that says which staging algorithm is for which tumors; read whenever a registry file is staged. */
  readonly algorithmTable?: string | undefined
  /** File of the rules by which registry files are edited; read for each of them. */
  readonly editRules?: string | undefined
  /**
   * Of a PostgreSQL database for what is submitted and what servers share (see sharedState); without
   * it, databases embedded in the data folder.
   */
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
  /** False leaves steps that the database has not had to `casemill state migrate`; true by default. */
  readonly stateMigrates?: boolean | undefined
  /**
   * Processes that serve the data folder at the same time, this one among them; 1 by default. With more,
   * whoever starts them has to take the folder for all (`takeFolder`), and what a dead one left behind is ended
   * by others within a minute or so.
   */
  readonly processes?: number | undefined
  /** Kinds of background work that it does once it serves; left out, all. */
  readonly workKinds?: readonly string[] | undefined
  readonly dependencyTimes?: Partial<DependencyTimes> | undefined
  /** Holds the embedded database's connections; without it, the calling thread does. */
  readonly startDatabaseThread?: StartThread | undefined
}

/** Opens a data folder, making it if need be. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await mkdir(options.dataFolder, { recursive: true })
  return new Engine(options)
}

/** Everything that casemill does with one data folder. Close it to free its files. */
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
   * Opens the current release and follows it, and ends what servers that died have left behind of
   * submissions. On a full disk that waits until there is space, and reading goes on.
   * @throws EngineError as Submissions.start and openDatabase
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
    this.startWork()
    this.commons.slicing.startRenewing()
  }

  /** Begins to do background work; without `start` that is all that it does. */
  startWork(): void {
    this.shared.work.start(this.#workKinds)
  }

  /** Verifies the data folder; yields its problems. Bytes of files are read if `isDeep`. */
  async *check(run: CommonsCheck = {}): AsyncGenerator<Issue> {
    yield* this.registry.check()
    yield* checkDatabase(this.submission.database, databasePath(this.shared.dataFolder))
    yield* this.submission.check()
    yield* this.commons.check(run)
  }

  /** How much space the data folder has, and whether work of the start waits for some. */
  async disk(): Promise<DiskState & { readonly isWaiting: boolean }> {
    return { ...(await this.shared.space.state()), isWaiting: this.#retries.count > 0 }
  }

  /** Numbers for monitoring. */
  load() {
    const idle = { scrubbedBytes: 0, scrubbedFiles: 0, lastScrubSeconds: 0 }
    const uncached = { stateCacheHits: 0, stateCacheMisses: 0 }
    const { integrity, cache } = this.shared
    return {
      ...this.commons.load(),
      ...this.registry.load(),
      ...this.submission.files.load(),
      ...integrity.load(),
      ...(this.#scrub?.load() ?? idle),
      ...(cache?.load() ?? uncached),
    }
  }

  /** What there is of background work, of each kind. */
  async workLoads(): Promise<readonly KindLoad[]> {
    const loads = new Map((await this.shared.work.loads()).map((load) => [load.kind, load]))
    const none = { waiting: 0, running: 0, failed: 0, oldest: null }
    return WORK_KINDS.map((kind) => loads.get(kind) ?? { kind, ...none })
  }

  /** Of the release that is served; see Commons.releaseLoad. */
  releaseLoad(): ReleaseLoad | undefined {
    return this.commons.releaseLoad()
  }

  /** What the service needs beside itself, and in what state that is; see DependencyProbes. */
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
