import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CheckContext,
  checkDatabase,
  checkDictionary,
  checkFiles,
  checkOwners,
  checkReleases,
  checkState,
} from './check.ts'
import {
  type AvailabilityRequest,
  Expression,
  type ExpressionLimits,
  type GeneSelectionRequest,
  type ValuesRequest,
} from './commons/analysis/expression/expression.ts'
import {
  type GeneCountsRequest,
  MutationCounts,
  type ProjectCountsRequest,
  type TopRequest,
} from './commons/analysis/mutation-counts/mutation-counts.ts'
import {
  type CellExpression,
  type CellExpressionRequest,
  SingleCell,
} from './commons/analysis/single-cell/single-cell.ts'
import { Survival, type SurvivalRequest } from './commons/analysis/survival/survival.ts'
import type { Bare } from './commons/datasets/case-gene.ts'
import type { Dataset, DatasetName } from './commons/datasets/define.ts'
import type { Mapping } from './commons/datasets/mapping.ts'
import {
  type Download,
  type DownloadLimits,
  type DownloadRequest,
  Downloads,
} from './commons/files/download/downloads.ts'
import { manifestOf } from './commons/files/download/manifest.ts'
import { openStored } from './commons/files/download/stored-bytes.ts'
import type {
  ImportedFiles,
  ImportFiles,
  ImportFilesContext,
} from './commons/files/ingest/file-import.ts'
import {
  type ImportBam,
  type ImportContext,
  type ImportedBam,
  importBam,
} from './commons/files/ingest/import-bam.ts'
import { importFiles } from './commons/files/ingest/import-files.ts'
import { sweepImports } from './commons/files/ingest/sweep-imports.ts'
import { RELEASE_GUARDS } from './commons/files/records/guard-sources.ts'
import { isReleased } from './commons/files/records/released-files.ts'
import { type VersionForm, Versions } from './commons/files/versions/versions.ts'
import { type ReleaseFacts, Releases } from './commons/release/releases.ts'
import { CurrentRelease, type ReleaseHealth } from './commons/search/current-release.ts'
import type { SearchAnswer, SearchRun } from './commons/search/leased-answer.ts'
import type { QuickSearchAnswer, QuickSearchRequest } from './commons/search/quick-search.ts'
import {
  type LookupRequest,
  type RecordRequest,
  Search,
  type SearchRequest,
} from './commons/search/search.ts'
import type { Alignment } from './commons/slicing/alignment.ts'
import { DirectoryKeeper } from './commons/slicing/directory-keeper.ts'
import { readWanted, selectFrom } from './commons/slicing/select.ts'
import {
  DEFAULT_LIMITS,
  type SliceBody,
  type SliceLimits,
  Slicer,
} from './commons/slicing/slicer.ts'
import { storedAlignment } from './commons/slicing/stored.ts'
import { warmThreads } from './commons/slicing/warm.ts'
import { Hcpcs } from './registry/codes/hcpcs/hcpcs.ts'
import { Ndc } from './registry/codes/ndc/ndc.ts'
import { MultiplePrimaries } from './registry/multiple-primaries/service.ts'
import { LineBatches } from './registry/ndjson-batch/line-batches.ts'
import { openAreas, type PublishingAreas } from './registry/publishing/areas.ts'
import { Staging } from './registry/staging/store/service.ts'
import { KeyStore } from './shared/access/keys.ts'
import { TokenStore } from './shared/access/tokens.ts'
import { BlobStores } from './shared/blobs/blob-stores.ts'
import { FolderStore } from './shared/blobs/folder-store.ts'
import type { ObjectStoreOptions } from './shared/blobs/object-client.ts'
import { ObjectStore } from './shared/blobs/object-store.ts'
import { FileCatalogue, type StoredFile } from './shared/catalogue/files.ts'
import { GeneModel } from './shared/catalogue/genes.ts'
import { NotificationStore } from './shared/catalogue/notifications.ts'
import { openState, statePath } from './shared/catalogue/state.ts'
import { Retries } from './shared/concurrency/retries.ts'
import type { Database } from './shared/database/database.ts'
import { databasePath } from './shared/database/open.ts'
import type { DatabaseTimes } from './shared/database/postgresql/server-watch.ts'
import type { StartThread } from './shared/database/sqlite/protocol.ts'
import { type Dependencies, DependencyProbes, type DependencyTimes } from './shared/dependencies.ts'
import { DiskSpace, type DiskState, isDiskFull } from './shared/disk-space.ts'
import { EngineError } from './shared/errors.ts'
import type { Executor } from './shared/executor.ts'
import type { Finding } from './shared/finding.ts'
import { CheckStore } from './shared/integrity/check-store.ts'
import { Integrity } from './shared/integrity/integrity.ts'
import { Scrub } from './shared/integrity/scrub.ts'
import { ScrubStore } from './shared/integrity/scrub-store.ts'
import { sharedState, submissionDatabase } from './shared-state.ts'
import { LoadedDictionary } from './submission/dictionary/loaded-dictionary.ts'
import { SubmissionExport } from './submission/export/submission-export.ts'
import { SubmissionFiles } from './submission/files/submission-files.ts'
import { SubmittedGraph } from './submission/graphql/submitted-graph.ts'
import { Owners } from './submission/publish/owners.ts'
import { type DerivingContext, recordOwners } from './submission/publish/recorded-owners.ts'
import { Releasing } from './submission/publish/releasing.ts'
import { Submission } from './submission/transactions/submission.ts'

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
  /** For jobs that take longer than milliseconds; without it, they run among the others. */
  readonly longExecutor?: Executor | undefined
  /**
   * For jobs that can be made to take long by who sends their input; with bounds on the memory and the
   * time of one. Without it, they run among the others.
   */
  readonly boundedExecutor?: Executor | undefined
  readonly clock?: () => Date
  readonly limits?: Partial<SliceLimits & DownloadLimits & ExpressionLimits>
  /** Bytes of stored files a second that are compared in the background once it serves; 0 is none. */
  readonly scrubBytesPerSecond?: number | undefined
  /** Object storage for new files; without it they go into the data folder. */
  readonly objects?: ObjectStoreOptions | undefined
  /** Folder of a dictionary of entity types; without it, the project's own. */
  readonly dictionaryFolder?: string | undefined
  /**
   * Of a PostgreSQL database for what is submitted and what servers share (see sharedState); without
   * it, databases embedded in the data folder.
   */
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
  readonly dependencyTimes?: Partial<DependencyTimes> | undefined
  /** What uploads, submissions and imports leave free on the disk of the data folder; 0 by default. */
  readonly reserveBytes?: number | undefined
  /** Holds the embedded database's connections; without it, the calling thread does. */
  readonly startDatabaseThread?: StartThread | undefined
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
export type ImportFilesRun = Pick<
  ImportFilesContext,
  'signal' | 'onProgress' | 'onFinding' | 'onNote'
>

/** Opens a data folder, making it if need be. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await mkdir(options.dataFolder, { recursive: true })
  return new Engine(options)
}

/** Everything that casemill does with one data folder. Close it to free its files. */
export class Engine {
  readonly tokens: TokenStore
  readonly keys: KeyStore
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly genes: GeneModel
  readonly datasets: readonly Dataset[]
  readonly dictionary: LoadedDictionary
  readonly database: Database
  readonly submission: Submission
  readonly submissionFiles: SubmissionFiles
  readonly releasing: Releasing
  readonly submissionExport: SubmissionExport
  readonly submittedGraph: SubmittedGraph
  readonly notifications: NotificationStore
  readonly staging: Staging
  readonly ndc: Ndc
  readonly hcpcs: Hcpcs
  readonly multiplePrimaries: MultiplePrimaries
  readonly rx: PublishingAreas['rx']
  readonly glossary: PublishingAreas['glossary']
  readonly disease: PublishingAreas['disease']
  readonly terms: PublishingAreas['terms']
  readonly primaries: PublishingAreas['primaries']
  readonly releases: Releases
  readonly executor: Executor
  readonly dataFolder: string
  readonly clock: () => Date
  readonly #current: CurrentRelease
  readonly #search: Search
  readonly #versions: Versions
  readonly #downloads: Downloads
  readonly #mutationCounts: MutationCounts
  readonly #singleCell: SingleCell
  readonly #survival: Survival
  readonly #expression: Expression
  /** Of the registry. */
  readonly #state: ReturnType<typeof openState>
  readonly #shared: Database
  readonly #filesFolder: string
  readonly #objects: ObjectStore | undefined
  readonly #checks: CheckStore
  readonly #integrity: Integrity
  readonly #scrub: Scrub | undefined
  readonly #slicer: Slicer
  readonly #keeper: DirectoryKeeper
  readonly #dependencies: DependencyProbes
  readonly #sharesState: boolean
  readonly #space: DiskSpace
  readonly #retries = new Retries()
  readonly #onEvent: (event: EngineEvent) => void

  constructor(options: EngineOptions) {
    const { dataFolder, executor, clock = () => new Date(), limits, objects, onEvent } = options
    this.dataFolder = dataFolder
    this.executor = executor
    this.clock = clock
    this.#onEvent = onEvent ?? (() => {})
    this.#sharesState = options.stateUrl !== undefined
    this.#space = new DiskSpace(dataFolder, options.reserveBytes)
    this.#state = openState(statePath(dataFolder))
    this.#shared = sharedState(options)
    this.tokens = new TokenStore(this.#shared, clock)
    this.keys = new KeyStore(this.#shared, clock)
    this.#filesFolder = join(dataFolder, 'files')
    this.files = new FileCatalogue(this.#shared)
    this.#objects = objects && new ObjectStore(objects)
    this.blobs = new BlobStores(new FolderStore(this.#filesFolder), this.#objects)
    this.genes = new GeneModel(this.#shared)
    this.releases = new Releases(dataFolder)
    this.#current = new CurrentRelease(this.releases, RELEASE_GUARDS, {
      onSwitch: (id) => this.#onEvent({ level: 'info', message: `serving release ${id}` }),
      onFailure: (cause) => {
        this.#onEvent({ level: 'error', message: 'the current release cannot be served', cause })
      },
    })
    this.#search = new Search({ current: this.#current, executor, temporaryFolder: dataFolder })
    this.#versions = new Versions({ current: this.#current, releases: this.releases, executor })
    this.#checks = new CheckStore(this.#shared, clock)
    this.#integrity = new Integrity({
      ...{ checks: this.#checks, executor },
      onDamage: (fileId, cause) => {
        const message = 'a stored file is damaged: its bytes are not those on record'
        this.#onEvent({ level: 'error', message, fileId, cause })
      },
      onFault: (fileId, cause) => {
        const message = 'what a look at the bytes of a file has shown cannot be written down'
        this.#onEvent({ level: 'warn', message, fileId, cause })
      },
    })
    this.#scrub = this.#scrubOf(options)
    this.#downloads = new Downloads(
      {
        ...{ files: this.files, blobs: this.blobs, tokens: this.tokens, current: this.#current },
        integrity: this.#integrity,
        latestOf: (ids) => this.#versions.latestOf(ids),
      },
      limits,
    )
    this.#mutationCounts = new MutationCounts({
      ...{ current: this.#current, executor, temporaryFolder: dataFolder },
    })
    this.#singleCell = new SingleCell({
      ...{ current: this.#current, blobs: this.blobs, executor },
      hdf5: (fileId, token) => this.#downloads.hdf5(fileId, token),
      onBuilt: (fileId) => {
        this.#onEvent({ level: 'info', message: 'numbers put into the order of genes', fileId })
      },
      onFailed: (fileId, cause) => {
        const message = 'numbers cannot be put into the order of genes'
        this.#onEvent({ level: 'error', message, fileId, cause })
      },
      onDamaged: (fileId, cause) => {
        const message = 'numbers in the order of genes are damaged and will be made again'
        this.#onEvent({ level: 'warn', message, fileId, cause })
      },
    })
    this.#survival = new Survival({ current: this.#current, executor })
    this.#expression = new Expression(
      {
        ...{ current: this.#current, executor, temporaryFolder: dataFolder },
        ...{ tokens: this.tokens, files: this.files },
      },
      limits,
    )
    this.datasets = this.#search.datasets
    this.dictionary = new LoadedDictionary(executor, options.dictionaryFolder)
    this.database = submissionDatabase(options, options.startDatabaseThread)
    this.#dependencies = new DependencyProbes({
      ...{ database: this.database, objects: this.#objects, dataFolder },
      reserveBytes: this.#space.reserveBytes,
      times: options.dependencyTimes,
    })
    this.submission = new Submission({
      ...{ database: this.database, dictionary: this.dictionary, clock },
      executor: options.longExecutor ?? executor,
      // What is in a database elsewhere takes nothing of this disk.
      ...(!this.#sharesState && { space: this.#space }),
      onFault: (cause, transactionId) => {
        const message = `transaction ${transactionId} came to no end of its own`
        this.#onEvent({ level: 'error', message, cause })
      },
    })
    this.submissionFiles = new SubmissionFiles({
      ...{ database: this.database, dictionary: this.dictionary, clock, executor },
      boundedExecutor: options.boundedExecutor ?? executor,
      ...{ files: this.files, blobs: this.blobs, folder: join(dataFolder, 'uploads') },
      space: this.#space,
      isReleased: (id) => isReleased(id, { current: this.#current, releases: this.releases }),
      onFault: (cause, fileId) => {
        const message = 'an uploaded file cannot be finished now'
        this.#onEvent({ level: 'error', message, fileId, cause })
      },
    })
    this.releasing = new Releasing({
      ...{ database: this.database, dictionary: this.dictionary, dataFolder, executor, clock },
      ...{ files: this.files, blobs: this.blobs, releases: this.releases, space: this.#space },
      recordOwners: () => this.#recordOwners(),
    })
    this.submissionExport = new SubmissionExport({
      ...{ database: this.database, dictionary: this.dictionary, temporaryFolder: dataFolder },
    })
    this.submittedGraph = new SubmittedGraph({
      ...{ database: this.database, dictionary: this.dictionary },
      executor: options.longExecutor ?? executor,
    })
    this.notifications = new NotificationStore(this.#shared, clock)
    const ofLines = {
      ...{ state: this.#state, batches: new LineBatches(executor) },
      yearNow: yearOf(options.clock),
    }
    this.staging = new Staging({ ...ofLines, clock })
    this.multiplePrimaries = new MultiplePrimaries(ofLines)
    const samePrimaries = {
      matches: (...asked: [string, string, number]) => this.multiplePrimaries.listsAsSame(...asked),
    }
    const areas = openAreas({ state: this.#state, clock, samePrimaries })
    this.rx = areas.rx
    this.glossary = areas.glossary
    this.disease = areas.disease
    this.terms = areas.terms
    this.primaries = areas.primaries
    this.ndc = new Ndc({ state: this.#state, clock })
    this.hcpcs = new Hcpcs({ state: this.#state, clock })
    this.#keeper = new DirectoryKeeper(executor, {
      onBuilt: (key) => {
        this.#slicer.forget(key)
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
   * Checks that the file exists and is a BAM, that the token may read it, and that it is here, in
   * this order (contract 7).
   * @throws EngineError not_found, unauthenticated, forbidden
   */
  authoriseSlice(fileId: string, token: string | undefined): Promise<StoredFile> {
    return this.#downloads.sliceable(fileId, token)
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
    const file = await this.authoriseSlice(fileId, token)
    const body = await this.#slicer.slice(
      storedAlignment(this.blobs, file),
      async (alignment) =>
        selectFrom(
          alignment,
          await readWanted(regions, genes, (symbols) => this.genes.bySymbols(symbols)),
        ),
      { signal },
    )
    return { ...body, fileName: `${file.fileName.replace(/\.bam$/i, '')}_slice.bam` }
  }

  /** Bytes of files, or an archive of them; see Downloads. */
  download(request: DownloadRequest): Promise<Download> {
    return this.#downloads.download(request)
  }

  /** Numbers of genes in single cells; see SingleCell. */
  cellExpression(
    request: CellExpressionRequest,
    run: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CellExpression> {
    return this.#singleCell.expression(request, run)
  }

  /** Survival of cases by filters; see Survival. */
  survival(request: SurvivalRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#survival.curves(request, run)
  }

  /** Which cases and genes have expression; see Expression. */
  expressionAvailability(request: AvailabilityRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#expression.availability(request, run)
  }

  /** A table of expression; see Expression. */
  expressionValues(request: ValuesRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#expression.values(request, run)
  }

  /** The genes that vary most; see Expression. */
  geneSelection(request: GeneSelectionRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#expression.geneSelection(request, run)
  }

  /** The download manifest of files by their ids; see manifestOf. */
  manifest(ids: readonly string[], run: SearchRun = {}): Promise<SearchAnswer> {
    return manifestOf(ids, { current: this.#current, executor: this.executor, ...run })
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

  /** Genes hit in the most cases, or cases with the most genes hit; see MutationCounts. */
  topMutated(by: Bare, request: TopRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#mutationCounts.top(by, request, run)
  }

  /** Cases by project with changes in some genes; see MutationCounts. */
  casesByGenes(request: GeneCountsRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#mutationCounts.byGenes(request, run)
  }

  /** Cases by project with data on mutations; see MutationCounts. */
  casesByProject(request: ProjectCountsRequest, run?: SearchRun): Promise<SearchAnswer> {
    return this.#mutationCounts.byProject(request, run)
  }

  /** All versions of a file; see Versions. */
  history(id: string, form: VersionForm, run?: SearchRun): Promise<SearchAnswer> {
    return this.#versions.history(id, form, run)
  }

  /** Files beside their latest versions; see Versions. */
  versions(ids: unknown, form: VersionForm, run?: SearchRun): Promise<SearchAnswer> {
    return this.#versions.versions(ids, form, run)
  }

  /** What `/{dataset}/_mapping` answers. */
  mapping(name: DatasetName): Mapping {
    return this.#search.mapping(name)
  }

  /** Stores a BAM file; see importBam. */
  importBam(what: ImportBam, run: ImportRun = {}): Promise<ImportedBam> {
    const { files, executor, dataFolder, clock, blobs } = this
    const stores = { files, blobs, checks: this.#checks }
    const { reserveBytes } = this.#space
    return importBam(what, { ...stores, executor, dataFolder, clock, reserveBytes, ...run })
  }

  /** Stores the files of a download manifest; see importFiles. */
  importFiles(what: ImportFiles, run: ImportFilesRun = {}): Promise<ImportedFiles> {
    const { files, executor, dataFolder, clock, blobs, releases } = this
    const stores = { files, blobs, releases, checks: this.#checks }
    const { reserveBytes } = this.#space
    return importFiles(what, { ...stores, executor, dataFolder, clock, reserveBytes, ...run })
  }

  /** Verifies the data folder; yields what is wrong with it. Bytes of files are read if `isDeep`. */
  async *check(
    run: Pick<CheckContext, 'isDeep' | 'signal' | 'onProgress'> = {},
  ): AsyncGenerator<Finding> {
    const { files, executor, blobs, releases } = this
    const filesFolder = this.#filesFolder
    yield* checkState(this.#state)
    yield* checkDatabase(this.database, databasePath(this.dataFolder))
    yield* this.staging.check()
    for (const area of [this.rx, this.glossary, this.disease]) yield* area.check()
    yield* checkReleases(releases)
    yield* checkDictionary(this.dictionary)
    yield* checkOwners(this.#deriving())
    const checks = this.#checks
    yield* checkFiles({ files, blobs, checks, filesFolder, releases, executor, ...run })
  }

  /**
   * Has every thread load and compile its code and gather the memory that it will hold under load:
   * first slices are then as fast as later ones. Takes a fraction of a second.
   */
  async warm(): Promise<void> {
    await warmThreads(this.executor)
  }

  /**
   * How much space the data folder has, and whether work of the start waits for some. Reading goes on
   * without any.
   */
  async disk(): Promise<DiskState & { readonly isWaiting: boolean }> {
    return { ...(await this.#space.state()), isWaiting: this.#retries.count > 0 }
  }

  /** Numbers for monitoring. */
  load() {
    const idle = { scrubbedBytes: 0, scrubbedFiles: 0, lastScrubSeconds: 0 }
    const scrub = this.#scrub?.load() ?? idle
    return {
      ...{ ...this.#slicer.load(), ...this.#downloads.load() },
      ...{ ...this.#integrity.load(), ...scrub },
    }
  }

  #scrubOf({ scrubBytesPerSecond = 0, stateUrl }: EngineOptions): Scrub | undefined {
    if (scrubBytesPerSecond === 0) return undefined
    const { files, clock, blobs } = this
    return new Scrub(
      {
        ...{ files, clock, checks: this.#checks, integrity: this.#integrity },
        store: new ScrubStore(this.#shared),
        open: (file) => openStored(blobs, file),
        onFault: (cause, fileId) => {
          const message = fileId
            ? 'the bytes of a stored file cannot be looked at now'
            : 'stored files cannot be looked at now'
          this.#onEvent({ level: 'warn', message, cause, ...(fileId ? { fileId } : {}) })
        },
      },
      { bytesPerSecond: scrubBytesPerSecond, isAlone: stateUrl === undefined },
    )
  }

  /** What the service needs beside itself, and in what state that is; see DependencyProbes. */
  dependencies(): Promise<Dependencies> {
    return this.#dependencies.current()
  }

  #opened(alignment: Alignment): void {
    for (const message of alignment.warnings) this.#onEvent({ level: 'warn', message })
    if (!alignment.directory) this.#keeper.want(alignment.parts, alignment.identity)
  }

  /**
   * Opens the current release and follows it from now on: an import may replace it at any time. Reads
   * a dictionary of the user's own; the project's is read when it is first asked for. Ends what
   * servers that died have left behind of submissions: with an embedded database, no other server may
   * be at work on the data folder (`takeFolder`). On a full disk that waits until there is space, and
   * reading goes on.
   * @throws EngineError as Dictionary.load and openDatabase
   */
  async start(): Promise<void> {
    if (this.dictionary.isReplaced) await this.dictionary.current()
    await this.#current.start()
    await sweepImports(this.dataFolder, this.#space).catch((cause: unknown) => {
      const message = 'what imports that were broken off have left cannot be removed'
      this.#onEvent({ level: 'warn', message, cause })
    })
    const recover = () => this.#recover()
    await recover().catch((cause: unknown) => {
      if (!isDiskFull(cause)) throw cause
      const message = 'the disk is full: what is there is served, and nothing can be written'
      this.#onEvent({ level: 'error', message, cause })
      this.#retries.add(recover)
    })
    this.#scrub?.start()
  }

  /** Bytes go first: they may be what fills the disk. */
  async #recover(): Promise<void> {
    const isAlone = !this.#sharesState
    await this.#recordOwners()
    await this.submissionFiles.start({ isAlone })
    await this.submission.start({ isAlone })
  }

  /** What is told of the release that is served; `undefined` without one. */
  releaseFacts(): ReleaseFacts | undefined {
    return this.#current.release?.manifest
  }

  /** Whether the release that should be served is, and what of it is damaged. */
  releaseHealth(): ReleaseHealth {
    return this.#current.health
  }

  /** Of files that were stored before owners were recorded; when there is none, one statement. */
  async #recordOwners(): Promise<void> {
    try {
      const unknown = await recordOwners(this.#deriving())
      if (unknown === 0) return
      const message = `nobody can be told to have stored ${unknown} files; casemill check names them`
      this.#onEvent({ level: 'warn', message })
    } catch (cause) {
      // What is nobody's stays where it is, and is read as before.
      if (!(cause instanceof EngineError)) throw cause
      const message = 'it cannot be found out now who stored some files'
      this.#onEvent({ level: 'error', message, cause })
    }
  }

  #deriving(): DerivingContext {
    const { files, database, releases, dataFolder } = this
    const isThere = database.dialect !== 'sqlite' || existsSync(databasePath(dataFolder))
    return {
      ...{ files, database: isThere ? database : undefined },
      async openOwners() {
        const id = await releases.current()
        return Owners.open(id === undefined ? undefined : releases.folder(id))
      },
    }
  }

  /** Stops background work and closes all files. */
  async close(): Promise<void> {
    await this.#scrub?.close()
    await this.#retries.close()
    await this.submissionFiles.close()
    await this.submission.close()
    await this.database.close()
    await this.#current.close()
    await this.#keeper.close()
    await this.#singleCell.close()
    await this.#slicer.close()
    await this.#objects?.close()
    await this.#shared.close()
    this.#state.close()
  }
}

/** The current year by a clock that was given. */
function yearOf(clock: (() => Date) | undefined): (() => string) | undefined {
  return clock && (() => String(clock().getFullYear()))
}
