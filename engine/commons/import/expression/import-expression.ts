import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { listSources } from '../../../shared/input/source-file.ts'
import type { MatrixFacts, MatrixRow } from '../../analysis/expression/matrix-format.ts'
import { writeMatrix } from '../../analysis/expression/write-matrix.ts'
import { copyFile } from '../../release/copy-file.ts'
import { extendRelease } from '../../release/extend.ts'
import { knownReleases } from '../../release/known-releases.ts'
import { EXPRESSION_NAME, type ReleaseManifest } from '../../release/layout.ts'
import { Release } from '../../release/release.ts'
import { Releases } from '../../release/releases.ts'
import { withWorkFolder } from '../../release/work-folder.ts'
import { type MakeCurrent, makeCurrent } from '../make-current.ts'
import { ORIGIN_NAME, readOrigin } from '../read-release.ts'
import { nextNumber, numberText } from '../release-number.ts'
import { type Choice, matrixCases } from './choose.ts'
import {
  EXPRESSION_REPORT_NAME,
  type ExpressionReport,
  leftOutOf,
  notTakenOf,
  REASONS,
} from './expression-report.ts'
import { IssueTally } from './issue-tally.ts'
import { MatrixMerge } from './matrix-merge.ts'
import { type NotTaken, recogniseTables, type Table } from './tables.ts'
import type { Scale, Unit } from './units.ts'

export interface ImportExpression {
  /** Paths of files or folders. */
  readonly sources: readonly string[]
  readonly dataFolder: string
  readonly executor: Executor
  /** Unit of matrices and two-column tables. By default taken from their names. */
  readonly unit?: Unit | undefined
  /** Scale of matrices and two-column tables. By default taken from their names. */
  readonly scale?: Scale | undefined
  /** Whether to drop the existing matrix. If false, samples are added to it. */
  readonly replace?: boolean | undefined
  /** Whether a token is required for all added samples, whatever the records of their files say. */
  readonly controlled?: boolean | undefined
  /** Number of the new release, such as `32.0`. By default, the next major number. */
  readonly release?: string | undefined
  /** Whether to build the release and its report, but then delete the release instead of switching to it. */
  readonly dryRun?: boolean | undefined
  /** Number of bad rows to tolerate, by default 1000. If there are more, the import ends. */
  readonly maxErrors?: number | undefined
  /** Whether any bad row, or any doubt about a file's unit, ends the import. */
  readonly strict?: boolean | undefined
  /** Number of bytes to keep free on the disk. */
  readonly reserveBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: ExpressionStep) => void) | undefined
  readonly clock?: (() => Date) | undefined
  readonly makeCurrent?: MakeCurrent | undefined
}

export interface ExpressionStep {
  readonly phase: 'reading' | 'writing'
  /** Number of bytes while reading, number of genes while writing. */
  readonly done: number
  readonly total: number
}

const DEFAULT_MAX_ERRORS = 1000

/**
 * Makes the next release: the current one with the expression of more cases, one sample per case and
 * protein-coding genes only (data-commons.md 6.2, 6.3). Nothing visible changes until the release is complete.
 * If the import is killed, the next import removes its folders.
 * @throws EngineError not_found; bad_input without a release, for a damaged file, too many bad rows or nothing
 *   to import; conflict if another import is running; corrupt_source if the current release is damaged;
 *   unavailable if the disk is full
 */
export async function importExpression(what: ImportExpression): Promise<ExpressionReport> {
  const { unit, scale } = what
  const tables = recogniseTables(await listSources(what.sources), { unit, scale })
  const releases = new Releases(what.dataFolder)
  if ((await releases.current()) === undefined) {
    const message =
      'there is no release that could have expression; import its cases and files first'
    throw new EngineError('bad_input', message)
  }
  const { dataFolder, reserveBytes } = what
  const space = new DiskSpace(dataFolder, reserveBytes)
  const place = { dataFolder, space, signal: what.signal }
  return withWorkFolder(place, async (folder, signal) => {
    // In the meantime, another import may have built a release.
    const release = await Release.open(releases.folder((await releases.current()) ?? ''))
    try {
      return await new Import({ ...what, signal }, { release, releases, folder }).run(tables)
    } finally {
      await release.close()
    }
  })
}

interface Places {
  readonly release: Release
  readonly releases: Releases
  /** Folder for temporary files of the import. */
  readonly folder: string
}

/** The new matrix, and counts of what the import did. */
interface Made {
  readonly facts: MatrixFacts
  readonly rows: AsyncIterable<MatrixRow>
  readonly report: ExpressionReport
}

class Import {
  readonly #what: ImportExpression
  readonly #places: Places
  readonly #issues: IssueTally

  constructor(what: ImportExpression, places: Places) {
    this.#what = what
    this.#places = places
    this.#issues = new IssueTally(what.strict ? 0 : (what.maxErrors ?? DEFAULT_MAX_ERRORS))
  }

  async run(recognised: readonly (Table | NotTaken)[]): Promise<ExpressionReport> {
    const { release, releases, folder } = this.#places
    const { executor, replace, signal, onProgress } = this.#what
    const number = nextNumber(this.#what.release, release.manifest.version)
    const tables = recognised.filter((each) => 'form' in each)
    const notTaken = recognised.filter((each) => 'reason' in each)
    const merge = await MatrixMerge.open({
      release,
      releaseFolder: releases.folder(release.id),
      workFolder: folder,
      executor,
      issues: this.#issues,
      replace,
      signal,
      onRead: (done, total) => onProgress?.({ phase: 'reading', done, total }),
    })
    try {
      const choice = await merge.choose(tables)
      if (choice.chosen.size === 0) throw nothingTaken(tables, notTaken, choice)
      const cases = matrixCases(choice, { controlled: this.#what.controlled === true })
      // `book` has selected the genes to store and counted the others.
      const { facts, book, rows } = await merge.read(tables, choice, cases)
      if (this.#what.strict) proveClear(this.#issues)
      const report: ExpressionReport = {
        dataRelease: `Data Release ${numberText(number)}`,
        sampleFiles: tables.filter(({ form }) => form.kind === 'sample').length,
        matrixFiles: tables.filter(({ form }) => form.kind === 'matrix').length,
        notTaken: notTakenOf(notTaken),
        samplesRead: choice.chosen.size,
        samplesKept: choice.retained.length,
        samplesLeftOut: leftOutOf(choice.leftOut),
        cases: cases.length,
        controlledCases: cases.filter(({ access }) => access === 'controlled').length,
        genes: facts.genes,
        kind: facts.kind,
        genesLeftOut: book.leftOut,
        doubts: this.#issues.doubts,
        emptyCells: this.#issues.emptyCells,
        badRows: this.#issues.badRows,
        badRowCount: this.#issues.count,
      }
      const releaseId = await this.#extend({ facts, rows, report }, number)
      if (this.#what.dryRun) return report
      await makeCurrent(releaseId, releases, this.#what.makeCurrent)
      return { ...report, releaseId }
    } finally {
      await merge.close()
    }
  }

  async #extend(
    { facts, rows, report }: Made,
    number: { readonly major: number; readonly minor: number },
  ): Promise<string> {
    const { release, releases, folder } = this.#places
    const { clock = () => new Date(), signal, onProgress, dryRun } = this.#what
    const createdAt = clock().toISOString()
    const origin = join(folder, ORIGIN_NAME)
    const reportPath = join(folder, EXPRESSION_REPORT_NAME)
    await writeFile(reportPath, `${JSON.stringify(report)}\n`)
    const fromFolder = releases.folder(release.id)
    await writeFile(origin, await originText(fromFolder, release.manifest))
    const counted = countRows(rows, (done) => {
      onProgress?.({ phase: 'writing', done, total: facts.genes })
    })
    const { id } = await extendRelease({
      folder: dryRun ? join(folder, 'releases') : releases.path,
      from: release.manifest,
      fromFolder,
      facts: {
        dataRelease: `Data Release ${numberText(number)}`,
        version: { ...number, releaseDate: createdAt.slice(0, 10) },
        earlierReleases: knownReleases(await releases.list()),
        createdAt,
      },
      files: {
        [EXPRESSION_NAME]: (path) => writeMatrix(path, facts, counted, { signal }),
        [ORIGIN_NAME]: (path) => copyFile(origin, path),
        [EXPRESSION_REPORT_NAME]: (path) => copyFile(reportPath, path),
      },
      signal,
    })
    return id
  }
}

/**
 * Returns the origin file of the new release. An import of expression keeps the documents of the current release.
 * The records of files in them name the last release that contains the file, which is then an older one. The
 * origin file has the number of that release (`documentsOf`), so that the next import of records finds and
 * replaces it.
 */
async function originText(folder: string, { version }: ReleaseManifest): Promise<string> {
  const origin = await readOrigin(folder)
  return `${JSON.stringify({ ...origin, documentsOf: origin.documentsOf ?? numberText(version) })}\n`
}

/**
 * Checks that the values leave no doubt about their unit and scale.
 * @throws EngineError bad_input if one has
 */
function proveClear({ doubts: [doubt] }: IssueTally): void {
  if (doubt === undefined) return
  throw new EngineError(
    'bad_input',
    `${doubt}; give --unit and --scale as they are, or leave out --strict`,
  )
}

async function* countRows(
  rows: AsyncIterable<MatrixRow>,
  onRow: (done: number) => void,
): AsyncGenerator<MatrixRow, void, undefined> {
  let done = 0
  for await (const row of rows) {
    onRow(++done)
    yield row
  }
}

function nothingTaken(
  tables: readonly Table[],
  notTaken: readonly NotTaken[],
  { leftOut }: Choice,
): EngineError {
  const [table] = tables
  const [other] = notTaken
  const why = leftOutOf(leftOut).map(({ reason, count, names: [name] }) => {
    return `${count} ${REASONS[reason]}${name === undefined ? '' : `, such as ${name}`}`
  })
  const at = table?.file.name ?? other?.source ?? ''
  const reason = table ? `no sample of it is taken (${why.join(', ')})` : other?.reason
  return new EngineError(
    'bad_input',
    tables.length + notTaken.length === 1
      ? `nothing can be taken from "${at}": ${reason}`
      : `nothing can be taken from any of ${tables.length + notTaken.length} files, as from "${at}": ${reason}`,
    { at },
  )
}
