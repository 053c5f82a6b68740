import { EngineError } from '../shared/errors.ts'
import type { Issue } from '../shared/issue.ts'
import type { Shared } from '../shared/shared.ts'
import { Comparison } from './analysis/comparison/comparison.ts'
import { Expression, type ExpressionLimits } from './analysis/expression/expression.ts'
import { MutationCounts } from './analysis/mutation-counts/mutation-counts.ts'
import { MutationTables } from './analysis/mutation-counts/mutation-tables.ts'
import { SingleCell } from './analysis/single-cell/single-cell.ts'
import { DonorTables } from './analysis/survival/donor-tables.ts'
import { Survival } from './analysis/survival/survival.ts'
import { CaseTables } from './case-tables/case-tables.ts'
import { Cohorts } from './cohorts/cohorts.ts'
import { DATASET_NAMES, type Dataset } from './datasets/define.ts'
import { Distribution } from './distribution/distribution.ts'
import type { NodeLoad, ReleaseNode } from './distribution/release-node.ts'
import { Drs } from './drs/drs.ts'
import { type DownloadLimits, Downloads } from './files/download/downloads.ts'
import { manifestOf } from './files/download/manifest.ts'
import { FileAccess, type FileAccessContext } from './files/file-access.ts'
import { FileLinks } from './files/links/file-links.ts'
import { PresignedLinks, type Presigning } from './files/links/presigned-links.ts'
import { openGuarding, RELEASE_GUARDS } from './files/records/guard-sources.ts'
import { isReleased } from './files/records/released-files.ts'
import { Versions } from './files/versions/versions.ts'
import { SearchGraph } from './graphql/search-graph.ts'
import { bamCutter } from './htsget/cut-bam.ts'
import { cramCutter } from './htsget/cut-cram.ts'
import { ofProved } from './htsget/cut-proved.ts'
import { Htsget } from './htsget/htsget.ts'
import type { ImportedFiles, ImportFiles, ImportFilesContext } from './import/files/file-import.ts'
import { type ImportAddress, importAddress } from './import/files/import-address.ts'
import {
  type ImportBam,
  type ImportContext,
  type ImportedBam,
  importBam,
} from './import/files/import-bam.ts'
import { importFiles } from './import/files/import-files.ts'
import { importProvedBam, type ProvedBam } from './import/files/proved-bam.ts'
import { referToAddress } from './import/files/refer-address.ts'
import { sweepImports } from './import/files/sweep-imports.ts'
import { checkReleases } from './release/check-releases.ts'
import { type ReleaseFacts, Releases } from './release/releases.ts'
import { CurrentRelease, type ReleaseHealth } from './search/current-release.ts'
import type { SearchAnswer, SearchRun } from './search/leased-answer.ts'
import { Search } from './search/search.ts'
import { SetFiles } from './sets/set-files.ts'
import { Sets } from './sets/sets.ts'
import type { SliceLimits } from './slicing/slicer.ts'
import { Slicing } from './slicing/slicing.ts'
import { warmThreads } from './slicing/warm.ts'
import { type CheckContext, checkFiles } from './upkeep/check-files.ts'

/** Limits on memory for the current release. */
interface ReleaseLimits {
  /** Size of the cache of array files in shared memory, in bytes. */
  readonly releaseBytes: number
}

/**
 * Limits of one process on concurrent work, memory and cached files.
 * @interface
 */
export type CommonsLimits = SliceLimits & DownloadLimits & ExpressionLimits & ReleaseLimits

/** Facts about the current release, for monitoring. */
export interface ReleaseLoad {
  readonly id: string
  readonly createdAt: Date
  /** Time at which this process began to serve the release. */
  readonly servedSince: Date
  /** Number of records, keyed by dataset. */
  readonly records: Readonly<Record<string, number>>
}

/**
 * Options of a check.
 * @interface
 */
export type CommonsCheck = Pick<CheckContext, 'isDeep' | 'signal' | 'onProgress'>
/**
 * Cancellation and progress of an import.
 * @interface
 */
export type ImportRun = Pick<ImportContext, 'signal' | 'onProgress'>
/**
 * Cancellation, progress and reports of an import of files.
 * @interface
 */
export type ImportFilesRun = Pick<
  ImportFilesContext,
  'signal' | 'onProgress' | 'onIssue' | 'onNote' | 'onColumns'
>

/** Anyone with a presigned URL can download without our access checks, so none are issued by default. */
const NO_PRESIGNING: Presigning = Object.freeze({ open: false, controlled: false })

const NO_NODE: NodeLoad = Object.freeze({ bytesPulled: 0, failedPulls: 0, releaseBehind: 0 })

/** The data commons of one data folder: releases, files, slices and analyses. */
export class Commons {
  readonly clock: () => Date
  readonly datasets: readonly Dataset[]
  readonly releases: Releases
  readonly search: Search
  readonly sets: Sets
  readonly setFiles: SetFiles
  readonly cohorts: Cohorts
  readonly searchGraph: SearchGraph
  readonly caseTables: CaseTables
  readonly versions: Versions
  readonly downloads: Downloads
  readonly links: FileLinks
  readonly drs: Drs
  readonly slicing: Slicing
  readonly htsget: Htsget
  readonly mutationCounts: MutationCounts
  readonly mutationTables: MutationTables
  readonly singleCell: SingleCell
  readonly survival: Survival
  readonly comparison: Comparison
  readonly expression: Expression
  readonly notifications: Shared['notifications']
  /** Releases shared by several nodes. Undefined unless state is in PostgreSQL and files are in a bucket. */
  readonly distribution: Distribution | undefined
  readonly #shared: Shared
  readonly #current: CurrentRelease
  #node: ReleaseNode | undefined
  #isWarming = false

  constructor(
    shared: Shared,
    limits: Partial<CommonsLimits> = {},
    presigning: Presigning = NO_PRESIGNING,
    arriving: FileAccessContext['arriving'] = async () => undefined,
  ) {
    const { dataFolder, executor, clock, files, blobs, credentials, report, work, turns } = shared
    this.#shared = shared
    this.clock = clock
    this.notifications = shared.notifications
    this.releases = new Releases(dataFolder)
    const open = (folder: string) =>
      openGuarding(folder, limits.releaseBytes, (...asked) => this.sets.markMembers(...asked))
    const guards = { ...RELEASE_GUARDS, open }
    const current = new CurrentRelease(this.releases, guards, {
      onSwitch: (id) => report({ level: 'info', message: `serving release ${id}` }),
      onFailure: (cause) => {
        report({ level: 'error', message: 'the current release cannot be served', cause })
      },
    })
    this.#current = current
    const { objects, state: database, space } = shared
    if (objects && database.dialect === 'postgresql') {
      this.distribution = new Distribution({ dataFolder, database, objects, space, clock })
    }
    this.sets = new Sets({ database, clock, current, executor, report, turns })
    this.setFiles = new SetFiles(this.sets, clock)
    this.cohorts = new Cohorts({
      database,
      clock,
      turns,
      pin: (filters) => this.sets.pin(filters),
      release: () => this.releaseFacts()?.dataRelease ?? '',
    })
    this.caseTables = new CaseTables({ current, executor, turns })
    this.mutationTables = new MutationTables({ current, executor, turns })
    this.versions = new Versions({ current, releases: this.releases, executor })
    const latestOf = (ids: readonly string[]) => this.versions.latestOf(ids)
    this.search = new Search({
      current,
      executor,
      latestOf,
      turns,
    })
    this.datasets = this.search.datasets
    const { search } = this
    this.searchGraph = new SearchGraph({
      current,
      executor,
      turns,
      evaluate: (release, query, signal) => search.evaluate(release, query, signal),
      sets: this.sets,
    })
    const { tickets, grants } = shared
    const access = new FileAccess({
      files,
      credentials,
      tickets,
      grants,
      current,
      latestOf,
      arriving,
      turns,
    })
    const { integrity } = shared
    this.downloads = new Downloads({ blobs, access, integrity, turns }, limits)
    const presigned = objects && new PresignedLinks(objects, clock)
    this.links = new FileLinks({ access, blobs, credentials, tickets, presigned, presigning })
    this.drs = new Drs({ access, links: this.links, executor, checks: shared.checks, turns })
    this.slicing = new Slicing(
      { access, blobs, genes: shared.genes, executor, report, files, work, turns },
      limits,
    )
    const bySlices = bamCutter(this.slicing, turns)
    const cutters = {
      BAM: bySlices,
      VCF: ofProved(bySlices),
      BCF: ofProved(bySlices),
      CRAM: cramCutter({ blobs, executor }),
    }
    this.htsget = new Htsget({ access, links: this.links, cutters, slicing: this.slicing })
    this.mutationCounts = new MutationCounts({
      current,
      executor,
      turns,
    })
    this.singleCell = new SingleCell({
      current,
      blobs,
      executor,
      hdf5: (fileId, token) => access.hdf5(fileId, token),
      files,
      work,
      report,
      onDamaged: (fileId, cause) => {
        const message = 'numbers in the order of genes are damaged and will be made again'
        report({ level: 'warn', message, fileId, cause })
      },
    })
    const donors = new DonorTables(executor)
    this.survival = new Survival({ current, executor, donors, turns })
    this.expression = new Expression(
      {
        current,
        executor,
        credentials,
        grants,
        files,
        turns,
        sets: this.sets,
        temporaryFolder: dataFolder,
        space: shared.space,
      },
      limits,
    )
    const { expression } = this
    this.comparison = new Comparison({ current, executor, donors, expression, turns })
  }

  /** Renders the download manifest of files; see manifestOf. */
  manifest(ids: readonly string[], run: SearchRun = {}): Promise<SearchAnswer> {
    const { executor, turns } = this.#shared
    return manifestOf(ids, { current: this.#current, executor, turns, ...run })
  }

  /** Stores a BAM file; see importBam. */
  importBam(what: ImportBam, run: ImportRun = {}): Promise<ImportedBam> {
    return importBam(what, { ...this.#importing(), ...run })
  }

  /**
   * Stores the file at a URL. For BAM, may store only a reference to it. See importAddress and referToAddress.
   * @throws EngineError bad_input if this process cannot read URLs
   */
  async importAddress(what: ImportAddress, run: ImportRun = {}): Promise<ImportedBam> {
    const { addresses } = this.#shared
    const importing = what.link ? referToAddress : importAddress
    if (addresses) return importing(what, { ...this.#importing(), ...run }, addresses)
    throw new EngineError('bad_input', 'files at addresses are not read here', { at: 'address' })
  }

  /**
   * Stores a BAM file that another process has validated; see importProvedBam.
   * @internal
   */
  importProvedBam(
    what: ImportBam & { readonly folder: string; readonly proved: ProvedBam },
    run: ImportRun = {},
  ): Promise<ImportedBam> {
    return importProvedBam(what, { ...this.#importing(), ...run })
  }

  /** Stores the files of a download manifest; see importFiles. */
  importFiles(what: ImportFiles, run: ImportFilesRun = {}): Promise<ImportedFiles> {
    return importFiles(what, { ...this.#importing(), releases: this.releases, ...run })
  }

  #importing(): ImportContext {
    const { files, blobs, checks, executor, dataFolder, clock, space } = this.#shared
    const { reserveBytes } = space
    return { files, blobs, checks, executor, dataFolder, clock, reserveBytes }
  }

  /** Returns facts about the current release, or undefined if there is none. */
  releaseFacts(): ReleaseFacts | undefined {
    return this.#current.release?.manifest
  }

  /** Returns figures of the current release for monitoring, or undefined if there is none. */
  releaseLoad(): ReleaseLoad | undefined {
    const { release, servedSince } = this.#current
    if (!release) return undefined
    const { id, createdAt, datasets } = release.manifest
    const rows = DATASET_NAMES.map((name) => [name, datasets[name].rows] as const)
    return { id, createdAt: new Date(createdAt), servedSince, records: Object.fromEntries(rows) }
  }

  /**
   * Returns whether this process can serve the current release: its threads are warm, and it is the release that
   * all nodes should serve. Also returns which parts of it are damaged.
   */
  releaseHealth(): ReleaseHealth {
    const { health } = this.#current
    if (health.state !== 'ready') return health
    if (this.#isWarming) return { ...health, state: 'warming' }
    const reason = this.#node?.behind
    return reason === undefined ? health : { ...health, state: 'behind', reason }
  }

  /** Returns whether a release in the data folder, the current one or an earlier one, has a file with this id. */
  isReleased(id: string): Promise<boolean> {
    return isReleased(id, { current: this.#current, releases: this.releases })
  }

  /** Verifies releases and stored files and yields each problem. */
  async *check(run: CommonsCheck = {}): AsyncGenerator<Issue> {
    yield* checkReleases(this.releases)
    const { files, blobs, checks, filesFolder, executor } = this.#shared
    const { releases } = this
    yield* checkFiles({ files, blobs, checks, filesFolder, executor, releases, ...run })
  }

  /**
   * Makes every thread load and compile its code and allocate its memory, so that the first slices are as fast
   * as later ones. Takes about a second, in which requests are already served and `releaseHealth` returns
   * `warming`.
   */
  async warm(): Promise<void> {
    this.#isWarming = true
    await warmThreads(this.#shared.executor)
    this.#isWarming = false
  }

  /** Opens the current release and follows changes, because an import in another process may replace it. */
  async start(): Promise<void> {
    await this.#current.start()
    const { dataFolder, space, report } = this.#shared
    await sweepImports(dataFolder, space).catch((cause: unknown) => {
      const message = 'what imports that were broken off have left cannot be removed'
      report({ level: 'warn', message, cause })
    })
  }

  /**
   * Starts to download releases that other nodes publish. Does nothing if releases are not shared. Servers call
   * it after `start`.
   */
  async followOthers(): Promise<void> {
    this.#node = this.distribution?.node(this.#current, this.#shared.report)
    await this.#node?.start()
  }

  /** Returns figures for monitoring. */
  load() {
    const node: NodeLoad = this.#node?.load() ?? NO_NODE
    return {
      ...node,
      ...this.slicing.load(),
      ...this.downloads.load(),
    }
  }

  async close(): Promise<void> {
    await this.#node?.close()
    await this.#current.close()
    await this.singleCell.close()
    await this.slicing.close()
  }
}
