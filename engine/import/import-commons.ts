import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetName } from '../datasets/define.ts'
import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { buildRelease, type KeptFile } from '../release/build.ts'
import { EXPRESSION_NAME } from '../release/layout.ts'
import { type ReleaseFacts, Releases } from '../release/releases.ts'
import type { GeneRow } from '../store/genes.ts'
import { type Assembled, assemble } from './assemble.ts'
import { keepMatrix } from './expression/keep-matrix.ts'
import { readGeneRows } from './gene-rows.ts'
import { Intake } from './intake.ts'
import { ORIGIN_NAME, readOrigin, readRelease } from './read-release.ts'
import { readSources } from './read-sources.ts'
import { nextNumber, numberText } from './release-number.ts'
import type { ImportReport } from './report.ts'
import { listSources, type SourceFile } from './source-file.ts'
import { Staging } from './staging.ts'
import { indexVersions, writeVersions } from './versions.ts'
import { openWorkFolder } from './work-folder.ts'

export interface ImportCommons {
  /** Files or folders, in the order in which they count: of equals the later one wins. */
  readonly sources: readonly string[]
  readonly dataFolder: string
  readonly executor: Executor
  /** Leave out what the current release holds; by default sources are added to it. */
  readonly replace?: boolean | undefined
  /** Number of the release that is made: `32.0`; by default the next whole one. */
  readonly release?: string | undefined
  /** Report what would be made and make nothing. */
  readonly dryRun?: boolean | undefined
  /** Dataset of all JSON records and of tables in the form of search answers. */
  readonly as?: DatasetName | undefined
  /** Name of the one kind of table that is taken; nothing else is. */
  readonly only?: string | undefined
  /** Rows that may be bad before the import is given up; 1000 by default. */
  readonly maxErrors?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: ImportStep) => void) | undefined
  /** Called with the release's gene model when genes were among the sources, after the switch. */
  readonly onGenes?: ((genes: readonly GeneRow[]) => void) | undefined
  readonly clock?: (() => Date) | undefined
}

export interface ImportStep {
  readonly phase: 'reading' | 'merging' | 'building'
  /** Bytes of the sources while reading, else records. */
  readonly done: number
  readonly total: number
}

const DEFAULT_MAX_ERRORS = 1000

/**
 * Makes the next release of what the public service returns and exports (issue of the release
 * store; data notes). Nothing that can be seen changes until it is complete; killed, it leaves a
 * folder that the next import removes.
 * @throws EngineError not_found, bad_input (a damaged source, too many bad rows, nothing to take),
 *   conflict (another import runs), corrupt_source (the current release is damaged)
 */
export async function importCommons(what: ImportCommons): Promise<ImportReport> {
  const files = await listSources(what.sources)
  await mkdir(what.dataFolder, { recursive: true })
  const work = await openWorkFolder(what.dataFolder)
  try {
    const staging = await Staging.open(work.path, Math.max(1, what.executor.parallelism))
    try {
      return await new Import(what, files, staging, work.path).run()
    } finally {
      staging.close()
    }
  } finally {
    await work.remove()
  }
}

class Import {
  readonly #what: ImportCommons
  readonly #files: readonly SourceFile[]
  readonly #staging: Staging
  readonly #folder: string
  readonly #releases: Releases
  readonly #intake: Intake

  constructor(what: ImportCommons, files: readonly SourceFile[], staging: Staging, folder: string) {
    this.#what = what
    this.#files = files
    this.#staging = staging
    this.#folder = folder
    this.#releases = new Releases(what.dataFolder)
    this.#intake = new Intake(staging, { maxErrors: what.maxErrors ?? DEFAULT_MAX_ERRORS })
  }

  async run(): Promise<ImportReport> {
    const { signal, dryRun } = this.#what
    const last = await this.#lastRelease()
    const number = nextNumber(this.#what.release, last?.version)
    if (last && !this.#what.replace) {
      await readRelease(this.#releases.folder(last.id), this.#staging, { signal })
    }
    await this.#readSources()
    this.#staging.seal()

    const release = numberText(number)
    const lastNumber = last && !this.#what.replace ? await this.#documentsOf(last) : undefined
    const assembled = await this.#assemble(release, lastNumber)
    const versions = await writeVersions(this.#staging, this.#folder)
    // The build needs the memory.
    this.#staging.close()
    const report: ImportReport = {
      dataRelease: `Data Release ${release}`,
      sources: this.#intake.reports,
      badRows: this.#intake.badRows,
      datasets: assembled.datasets,
      resolvedByName: assembled.resolvedByName,
      casesWithoutProject: assembled.casesWithoutProject,
      filesWithoutCase: assembled.filesWithoutCase,
      versionSteps: versions.count,
    }
    if (dryRun) return report
    const releaseId = await this.#build(assembled, versions, {
      number,
      kept: last && !this.#what.replace ? await this.#keep(last, assembled) : {},
    })
    await this.#tellGenes(assembled)
    return { ...report, releaseId }
  }

  async #lastRelease(): Promise<ReleaseFacts | undefined> {
    const id = await this.#releases.current()
    if (id === undefined) return undefined
    const last = (await this.#releases.list()).find((facts) => facts.id === id)
    if (last || this.#what.replace) return last
    throw new EngineError(
      'corrupt_source',
      `the current release "${id}" cannot be read; --replace makes one without it`,
    )
  }

  /** Number of the release that the last one's documents were made for. */
  async #documentsOf({ id, version }: ReleaseFacts): Promise<string> {
    return (await readOrigin(this.#releases.folder(id))).documentsOf ?? numberText(version)
  }

  async #readSources(): Promise<void> {
    const { as, only, signal, onProgress } = this.#what
    const total = this.#files.reduce((bytes, { size }) => bytes + size, 0)
    let done = 0
    const onRead = (bytes: number) => {
      // The beginning of some is read twice.
      done = Math.min(done + bytes, total)
      onProgress?.({ phase: 'reading', done, total })
    }
    const into = { intake: this.#intake, staging: this.#staging }
    await readSources(this.#files, into, { as, only, signal, onRead })
    const taken = this.#intake.reports.filter(({ notTaken }) => notTaken === undefined)
    const [first] = this.#intake.reports
    if (taken.length > 0 || !first) return
    throw new EngineError(
      'bad_input',
      this.#intake.reports.length === 1
        ? `nothing can be taken from "${first.source}": ${first.notTaken}`
        : `nothing can be taken from any of ${this.#intake.reports.length} files, as from "${first.source}": ${first.notTaken}`,
      { at: first.source },
    )
  }

  async #assemble(release: string, lastRelease: string | undefined): Promise<Assembled> {
    const { signal, onProgress } = this.#what
    const total = await this.#staging.records()
    let done = 0
    return assemble(this.#staging, {
      folder: this.#folder,
      release,
      lastRelease,
      signal,
      onRecords: (records) => {
        done += records
        onProgress?.({ phase: 'merging', done, total })
      },
    })
  }

  /** Expression goes on as it is, under the ids that cases have now. */
  async #keep({ id }: ReleaseFacts, { realCases }: Assembled): Promise<Record<string, KeptFile>> {
    const matrix = await keepMatrix(this.#releases.folder(id), realCases, this.#folder)
    return matrix ? { [EXPRESSION_NAME]: matrix } : {}
  }

  async #build(
    { sources, datasets, derivedOfProjects }: Assembled,
    versions: { readonly path: string; readonly count: number },
    {
      number,
      kept,
    }: {
      readonly number: { readonly major: number; readonly minor: number }
      readonly kept: Readonly<Record<string, KeptFile>>
    },
  ): Promise<string> {
    const { clock = () => new Date(), executor, signal, onProgress } = this.#what
    const origin = join(this.#folder, ORIGIN_NAME)
    await writeFile(origin, `${JSON.stringify({ derivedOfProjects })}\n`)
    const createdAt = clock().toISOString()
    // Columns and documents each pass over all rows.
    const total = 2 * Object.values(datasets).reduce((rows, { records }) => rows + records, 0)
    const rows = new Map<string, number>()
    const options = {
      folder: this.#releases.path,
      sources,
      facts: {
        dataRelease: `Data Release ${numberText(number)}`,
        version: { ...number, releaseDate: createdAt.slice(0, 10) },
        createdAt,
      },
      extras: {
        [ORIGIN_NAME]: origin,
        ...(await indexVersions(versions, { executor, signal })),
      },
      kept,
      executor,
      signal,
      onProgress: (step: { phase: string; dataset: string; rows: number }) => {
        if (step.phase === 'links' || step.phase === 'associations') return
        rows.set(`${step.phase} ${step.dataset}`, step.rows)
        const done = [...rows.values()].reduce((sum, each) => sum + each, 0)
        onProgress?.({ phase: 'building', done, total })
      },
    }
    const { id } = await buildRelease(options)
    await this.#releases.switchTo(id)
    return id
  }

  async #tellGenes({ sources }: Assembled): Promise<void> {
    const { onGenes } = this.#what
    const hasGenes = this.#intake.reports.some(({ records }) => records.genes !== undefined)
    if (onGenes && hasGenes && sources.genes) onGenes(await readGeneRows(sources.genes))
  }
}
