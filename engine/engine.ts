import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { authorise } from './access/access.ts'
import { TokenStore } from './access/tokens.ts'
import { type CheckContext, checkFiles, checkReleases, checkState } from './check.ts'
import type { Dataset, DatasetName } from './datasets/define.ts'
import type { Mapping } from './datasets/mapping.ts'
import { EngineError } from './errors.ts'
import type { Executor } from './executor.ts'
import type { Finding } from './finding.ts'
import { NotificationStore } from './notifications.ts'
import { type ReleaseFacts, Releases } from './release/releases.ts'
import { CurrentRelease } from './search/current-release.ts'
import type { QuickSearchAnswer, QuickSearchRequest } from './search/quick-search.ts'
import {
  type LookupRequest,
  type RecordRequest,
  Search,
  type SearchAnswer,
  type SearchRequest,
  type SearchRun,
} from './search/search.ts'
import type { Alignment } from './slicing/alignment.ts'
import { DirectoryKeeper } from './slicing/directory-keeper.ts'
import {
  type ImportBam,
  type ImportContext,
  type ImportedBam,
  importBam,
} from './slicing/import-bam.ts'
import { readWanted, selectFrom } from './slicing/select.ts'
import { DEFAULT_LIMITS, type SliceBody, type SliceLimits, Slicer } from './slicing/slicer.ts'
import { pathsOf } from './slicing/stored.ts'
import { warmThreads } from './slicing/warm.ts'
import { FileCatalogue, type StoredFile } from './store/files.ts'
import { GeneModel } from './store/genes.ts'
import { openState, statePath } from './store/state.ts'

/** Something worth a log line that belongs to no request. Never holds a secret or a health datum. */
export interface EngineEvent {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fileId?: string
  readonly cause?: unknown
}

export interface EngineOptions {
  readonly dataFolder: string
  readonly executor: Executor
  readonly clock?: () => Date
  readonly limits?: Partial<SliceLimits>
  readonly onEvent?: (event: EngineEvent) => void
}

export interface SliceRequest {
  readonly fileId: string
  /** Region texts as given: 1-based inclusive. */
  readonly regions: readonly string[]
  /** Gene symbols. */
  readonly genes: readonly string[]
  /** The token's secret as it was sent; open files never look at it. */
  readonly token: string | undefined
}

export interface Slice extends SliceBody {
  /** Name for the client's disk. */
  readonly fileName: string
}

export type ImportRun = Pick<ImportContext, 'signal' | 'onProgress'>

/** Opens a data folder, making it if need be. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await mkdir(options.dataFolder, { recursive: true })
  return new Engine(options)
}

/** Everything that casemill does with one data folder. Close it to free its files. */
export class Engine {
  readonly tokens: TokenStore
  readonly files: FileCatalogue
  readonly genes: GeneModel
  readonly datasets: readonly Dataset[]
  readonly notifications: NotificationStore
  readonly releases: Releases
  readonly executor: Executor
  readonly dataFolder: string
  readonly clock: () => Date
  readonly #current: CurrentRelease
  readonly #search: Search
  readonly #state: ReturnType<typeof openState>
  readonly #filesFolder: string
  readonly #slicer: Slicer
  readonly #keeper: DirectoryKeeper
  readonly #onEvent: (event: EngineEvent) => void

  constructor({ dataFolder, executor, clock = () => new Date(), limits, onEvent }: EngineOptions) {
    this.dataFolder = dataFolder
    this.executor = executor
    this.clock = clock
    this.#onEvent = onEvent ?? (() => {})
    this.#state = openState(statePath(dataFolder))
    this.tokens = new TokenStore(this.#state, clock)
    this.#filesFolder = join(dataFolder, 'files')
    this.files = new FileCatalogue(this.#state, this.#filesFolder)
    this.genes = new GeneModel(this.#state)
    this.releases = new Releases(dataFolder)
    this.#current = new CurrentRelease(this.releases, {
      onSwitch: (id) => this.#onEvent({ level: 'info', message: `serving release ${id}` }),
      onFailure: (cause) => {
        this.#onEvent({ level: 'error', message: 'the current release cannot be served', cause })
      },
    })
    this.#search = new Search({ current: this.#current, executor, temporaryFolder: dataFolder })
    this.datasets = this.#search.datasets
    this.notifications = new NotificationStore(this.#state, clock)
    this.#keeper = new DirectoryKeeper(executor, {
      onBuilt: (path) => {
        this.#slicer.forget(path)
        this.#onEvent({ level: 'info', message: 'block directory made' })
      },
      onFailed: (_, cause) => {
        this.#onEvent({ level: 'error', message: 'block directory cannot be made', cause })
      },
    })
    this.#slicer = new Slicer(executor, { ...DEFAULT_LIMITS, ...limits }, (alignment) =>
      this.#opened(alignment),
    )
  }

  /**
   * Checks that the file exists, that the token may read it, and that it can be sliced, in this
   * order (contract 7).
   * @throws EngineError not_found, unauthenticated, forbidden
   */
  authoriseSlice(fileId: string, token: string | undefined): StoredFile {
    const file = this.files.find(fileId.toLowerCase())
    if (file?.dataFormat !== 'BAM') {
      throw new EngineError('not_found', `no BAM file has the id "${fileId.slice(0, 80)}"`)
    }
    if (file.access === 'controlled') {
      const given = token !== undefined && token !== ''
      authorise(file, given ? this.tokens.verify(token) : undefined, given)
    }
    return file
  }

  /**
   * Starts a slice. The status of an answer can be decided when this resolves: file, access, index,
   * regions and the slice's first part are in order then.
   * @throws EngineError as authoriseSlice; no_index, bad_region, bad_input, busy, corrupt_source,
   *   unavailable
   */
  async slice(
    { fileId, regions, genes, token }: SliceRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Slice> {
    const file = this.authoriseSlice(fileId, token)
    const body = await this.#slicer.slice(
      pathsOf(this.files, file),
      (alignment) =>
        selectFrom(
          alignment,
          readWanted(regions, genes, (symbol) => this.genes.bySymbol(symbol)),
        ),
      { signal },
    )
    return { ...body, fileName: `${file.fileName.replace(/\.bam$/i, '')}_slice.bam` }
  }

  /** Records of a dataset; see Search. */
  search(name: DatasetName, request: SearchRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#search.search(name, request, run)
  }

  /** One record of a dataset; see Search. */
  record(
    name: DatasetName,
    id: string,
    request: RecordRequest,
    run?: SearchRun,
  ): Promise<SearchAnswer> {
    return this.#search.record(name, id, request, run)
  }

  /** Records by the start of an id or name; see Search. */
  lookup(name: DatasetName, request: LookupRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#search.lookup(name, request, run)
  }

  /** Records of several datasets by the start of an id or name; see Search. */
  quickSearch(request: QuickSearchRequest, run?: SearchRun): Promise<QuickSearchAnswer> {
    return this.#search.quickSearch(request, run)
  }

  /** What `/{dataset}/_mapping` answers. */
  mapping(name: DatasetName): Mapping {
    return this.#search.mapping(name)
  }

  /** Stores a BAM file; see importBam. */
  importBam(what: ImportBam, run: ImportRun = {}): Promise<ImportedBam> {
    const { files, executor, dataFolder, clock } = this
    return importBam(what, { files, executor, dataFolder, clock, ...run })
  }

  /** Verifies the data folder; yields what is wrong with it. */
  async *check(run: Pick<CheckContext, 'signal' | 'onProgress'> = {}): AsyncGenerator<Finding> {
    const { files, executor } = this
    yield* checkState(this.#state)
    yield* checkReleases(this.releases)
    yield* checkFiles({ files, filesFolder: this.#filesFolder, executor, ...run })
  }

  /**
   * Has every thread load and compile its code and gather the memory that it will hold under load:
   * first slices are then as fast as later ones. Takes a fraction of a second.
   */
  async warm(): Promise<void> {
    await warmThreads(this.executor)
  }

  /** Numbers for monitoring. */
  load() {
    return this.#slicer.load()
  }

  #opened(alignment: Alignment): void {
    for (const message of alignment.warnings) this.#onEvent({ level: 'warn', message })
    if (!alignment.directory) this.#keeper.want(alignment.paths, alignment.identity)
  }

  /** Opens the current release and follows it from now on: an import may replace it at any time. */
  start(): Promise<void> {
    return this.#current.start()
  }

  /** What is told of the release that is served; `undefined` without one. */
  releaseFacts(): ReleaseFacts | undefined {
    return this.#current.release?.manifest
  }

  /** Stops background work and closes all files. */
  async close(): Promise<void> {
    await this.#current.close()
    await this.#keeper.close()
    await this.#slicer.close()
    this.#state.close()
  }
}
