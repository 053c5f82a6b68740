import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import {
  type BuildProgress,
  buildRelease,
  type DeriveFiles,
  type RetainedFile,
} from '../release/build.ts'
import { knownReleases } from '../release/known-releases.ts'
import { EXPRESSION_NAME } from '../release/layout.ts'
import { readManifest } from '../release/manifest.ts'
import { type ReleaseFacts, Releases } from '../release/releases.ts'
import { type Assembled, assemble } from './assemble.ts'
import { EXPRESSION_REPORT_NAME } from './expression/expression-report.ts'
import { retainMatrix } from './expression/retain-matrix.ts'
import { Intake } from './intake.ts'
import type { NewCases } from './joins.ts'
import { type MakeCurrent, makeCurrent } from './make-current.ts'
import { ORIGIN_NAME, type Origin, readOrigin, readRelease } from './read-release.ts'
import { nextNumber, numberText } from './release-number.ts'
import { type ImportReport, REPORT_NAME } from './report.ts'
import { Staging } from './staging.ts'
import { indexVersions, writeVersions } from './versions.ts'
import type { Withdrawn } from './withdraw.ts'

/** Options for building a release, for all kinds of input. */
export interface ReleaseToMake {
  readonly dataFolder: string
  readonly executor: Executor
  /** Whether to leave out the records of the current release. If false, the sources are added to them. */
  readonly replace?: boolean | undefined
  /** Number of the new release, such as `32.0`. By default, the next major number. */
  readonly release?: string | undefined
  /** Whether to build the release and its report, but then delete the release instead of switching to it. */
  readonly dryRun?: boolean | undefined
  /** Number of bad rows to tolerate, by default 1000. If there are more, the import ends. */
  readonly maxErrors?: number | undefined
  /** How to treat rows of tables whose case no other source names. */
  readonly newCases?: NewCases | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: ImportStep) => void) | undefined
  readonly clock?: (() => Date) | undefined
  readonly makeCurrent?: MakeCurrent | undefined
}

export interface NextRelease extends ReleaseToMake {
  /** Folder from `withWorkFolder`, for temporary files until the release is complete. */
  readonly workFolder: string
  /** Reads the new records into the staging. Returns the state to keep for the next import. */
  readonly read: (
    into: { readonly intake: Intake; readonly staging: Staging },
    about: { readonly release: string },
  ) => Promise<Pick<Origin, 'redacted' | 'submitted'>>
  /** Records and members of the current release to leave out. */
  readonly withdrawn?: Withdrawn | undefined
  /** Checks the report before a release is built from the records. If it throws, the import ends. */
  readonly prove?: ((report: ImportReport) => void) | undefined
  /** Makes further files of the release from its complete records. */
  readonly derive?: DeriveFiles | undefined
}

export interface ImportStep {
  readonly phase: 'reading' | 'merging' | 'building'
  /** Number done: of source bytes while reading, of parts of records while merging, and otherwise of records. */
  readonly done: number
  /** The number at which the phase is complete. */
  readonly total: number
}

/**
 * Returns a function that reports the progress of a build. Each record counts twice, because columns and
 * documents are built in a pass each.
 */
export function buildingSteps(
  records: number,
  onProgress: ReleaseToMake['onProgress'],
): (progress: BuildProgress) => void {
  const done = new Map<string, number>()
  return ({ phase, dataset, rows }) => {
    if (phase === 'links' || phase === 'associations') return
    done.set(`${phase} ${dataset}`, rows)
    const sum = [...done.values()].reduce((before, each) => before + each, 0)
    onProgress?.({ phase: 'building', done: sum, total: 2 * records })
  }
}

export interface MadeRelease {
  readonly report: ImportReport
  /** Paths of the NDJSON files with the documents of each dataset. */
  readonly sources: Assembled['sources']
  /** Whether the release has become the current one. */
  readonly isCurrent: boolean
}

const DEFAULT_MAX_ERRORS = 1000

/**
 * Builds the next release from the current one and new records, and switches to it. Nothing visible changes
 * until the release is complete. If the process is killed, the next import removes its folder.
 * @throws EngineError bad_input; corrupt_source if the current release is damaged; errors of `read` and
 *   `derive`
 */
export async function makeNextRelease(what: NextRelease): Promise<MadeRelease> {
  const staging = await Staging.open(what.workFolder, Math.max(1, what.executor.parallelism))
  try {
    return await new Making(what, staging).run()
  } finally {
    staging.close()
  }
}

interface Parts {
  readonly assembled: Assembled
  readonly versions: { readonly path: string; readonly count: number }
  readonly origin: Origin
  readonly report: ImportReport
}

class Making {
  readonly #what: NextRelease
  readonly #staging: Staging
  readonly #releases: Releases
  readonly #intake: Intake

  constructor(what: NextRelease, staging: Staging) {
    this.#what = what
    this.#staging = staging
    this.#releases = new Releases(what.dataFolder)
    const { maxErrors = DEFAULT_MAX_ERRORS, newCases } = what
    this.#intake = new Intake(staging, { maxErrors, newCases })
  }

  async run(): Promise<MadeRelease> {
    const { signal, dryRun, read, workFolder, withdrawn, replace = false } = this.#what
    const last = await this.#lastRelease()
    const number = nextNumber(this.#what.release, last?.version)
    const retained = replace ? undefined : last
    const folder = retained && this.#releases.folder(retained.id)
    const before: Origin = folder === undefined ? NO_ORIGIN : await readOrigin(folder)
    if (folder !== undefined) {
      const build = await readRelease(folder, this.#staging, { signal, withdrawn })
      if (build !== undefined) this.#intake.knowBuild(build, 'the current release')
    }
    const release = numberText(number)
    this.#staging.release = release
    const reported = await read({ intake: this.#intake, staging: this.#staging }, { release })
    this.#staging.seal()

    // Number of the release for which the retained documents were made.
    const lastNumber = retained && (before.documentsOf ?? numberText(retained.version))
    const assembled = await this.#assemble(release, lastNumber)
    const versions = await writeVersions(this.#staging, workFolder)
    // Frees memory for the build.
    this.#staging.close()
    const report: ImportReport = {
      dataRelease: `Data Release ${release}`,
      sources: this.#intake.reports,
      badRows: this.#intake.badRows,
      datasets: assembled.datasets,
      resolvedByName: assembled.resolvedByName,
      resolvedBySpecimens: assembled.resolvedBySpecimens,
      resolvedByFiles: assembled.resolvedByFiles,
      possibleTwins: assembled.twins,
      unknownSymbols: assembled.unknownSymbols,
      casesWithoutProject: assembled.casesWithoutProject,
      aliveWithDeath: assembled.aliveWithDeath,
      seenAfterDeath: assembled.seenAfterDeath,
      filesWithoutCase: assembled.filesWithoutCase,
      versionSteps: versions.count,
    }
    this.#what.prove?.(report)
    const { sources } = assembled
    const submitted = { ...before.submitted, ...reported.submitted }
    const redacted = reported.redacted ?? before.redacted
    const origin: Origin = {
      derivedOfProjects: assembled.derivedOfProjects,
      ...(Object.keys(submitted).length > 0 && { submitted }),
      ...(redacted !== undefined && { redacted }),
    }
    const matrix = folder === undefined ? {} : await this.#retain(folder, assembled)
    const releaseId = await this.#build(
      { assembled, versions, origin, report },
      { number, retained: matrix },
    )
    if (dryRun) return { report, sources, isCurrent: false }
    const isCurrent = await makeCurrent(releaseId, this.#releases, this.#what.makeCurrent)
    return { report: { ...report, releaseId }, sources, isCurrent }
  }

  async #lastRelease(): Promise<ReleaseFacts | undefined> {
    const id = await this.#currentId()
    if (id === undefined) return undefined
    const last = (await this.#releases.list()).find((facts) => facts.id === id)
    if (last || this.#what.replace) return last
    throw new EngineError(
      'corrupt_source',
      `the current release "${id}" cannot be read; --replace makes one without it`,
    )
  }

  async #currentId(): Promise<string | undefined> {
    const { dryRun = false, replace = false } = this.#what
    try {
      if (!dryRun) await this.#releases.nameOnly()
      return await this.#releases.current()
    } catch (error) {
      // With `replace`, the current release is not needed, so it may be damaged.
      if (replace && error instanceof EngineError) return undefined
      throw error
    }
  }

  async #assemble(release: string, lastRelease: string | undefined): Promise<Assembled> {
    const { signal, onProgress, workFolder: folder } = this.#what
    const total = await this.#staging.parts()
    let done = 0
    return assemble(this.#staging, {
      folder,
      release,
      lastRelease,
      signal,
      onParts: (parts) => {
        done += parts
        onProgress?.({ phase: 'merging', done, total })
      },
    })
  }

  /** Retains the expression matrix with the current case ids, without withdrawn cases, and its report. */
  async #retain(folder: string, { realCases }: Assembled): Promise<Record<string, RetainedFile>> {
    const matrix = await retainMatrix(
      folder,
      { realCases, withdrawn: this.#what.withdrawn?.ids ?? new Set() },
      this.#what.workFolder,
    )
    if (!matrix) return {}
    const written = (await readManifest(folder)).files[EXPRESSION_REPORT_NAME]
    const report = written && { path: join(folder, EXPRESSION_REPORT_NAME), written }
    return { [EXPRESSION_NAME]: matrix, ...(report && { [EXPRESSION_REPORT_NAME]: report }) }
  }

  async #build(
    { assembled, versions, origin, report }: Parts,
    {
      number,
      retained,
    }: {
      readonly number: { readonly major: number; readonly minor: number }
      readonly retained: Readonly<Record<string, RetainedFile>>
    },
  ): Promise<string> {
    const { clock = () => new Date(), executor, signal, onProgress, derive } = this.#what
    const { dryRun, workFolder } = this.#what
    const { sources, datasets } = assembled
    const originPath = join(workFolder, ORIGIN_NAME)
    await writeFile(originPath, `${JSON.stringify(origin)}\n`)
    const reportPath = join(workFolder, REPORT_NAME)
    await writeFile(reportPath, `${JSON.stringify(report)}\n`)
    const createdAt = clock().toISOString()
    const records = Object.values(datasets).reduce((sum, each) => sum + each.records, 0)
    const { id } = await buildRelease({
      folder: dryRun ? join(workFolder, 'releases') : this.#releases.path,
      sources,
      facts: {
        dataRelease: `Data Release ${numberText(number)}`,
        version: { ...number, releaseDate: createdAt.slice(0, 10) },
        earlierReleases: knownReleases(await this.#releases.list()),
        createdAt,
      },
      extras: {
        [ORIGIN_NAME]: originPath,
        [REPORT_NAME]: reportPath,
        ...(await indexVersions(versions, { executor, signal })),
      },
      retained,
      derive,
      executor,
      signal,
      onProgress: buildingSteps(records, onProgress),
    })
    return id
  }
}

const NO_ORIGIN: Origin = { derivedOfProjects: {} }
