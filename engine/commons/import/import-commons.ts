import { mkdir } from 'node:fs/promises'
import type { GeneRow } from '../../shared/catalogue/genes.ts'
import { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import { listSources, type SourceFile } from '../../shared/input/source-file.ts'
import type { DatasetName } from '../datasets/define.ts'
import { withWorkFolder } from '../release/work-folder.ts'
import { readGeneRows } from './gene-rows.ts'
import type { Intake } from './intake.ts'
import {
  type ImportStep,
  type MadeRelease,
  makeNextRelease,
  type ReleaseToMake,
} from './next-release.ts'
import { readSources } from './read-sources.ts'
import { conflictText, type ImportReport } from './report.ts'
import type { Staging } from './staging.ts'

export interface ImportCommons extends ReleaseToMake {
  /** Files or folders in order of precedence. If two sources are equal, the later one counts. */
  readonly sources: readonly string[]
  /** Dataset of all JSON records and of tables in the form of search results. */
  readonly as?: DatasetName | undefined
  /** Name of the only kind of table to import. All other sources are skipped. */
  readonly only?: string | undefined
  /** Whether a cell that cannot be interpreted ends the import. */
  readonly strict?: boolean | undefined
  /** Number of bytes to keep free on the disk. */
  readonly reserveBytes?: number | undefined
  /** Called with the release's gene model after the switch, if the sources include genes. */
  readonly onGenes?: ((genes: readonly GeneRow[]) => void) | undefined
}

/**
 * Builds the next release from files that the public service returns and exports (data notes). Nothing visible
 * changes until the release is complete. If the import is killed, the next import removes its folder.
 * @throws EngineError not_found; bad_input for a damaged source, too many bad rows or nothing to import;
 *   conflict if another import is running; corrupt_source if the current release is damaged; unavailable if the
 *   disk is full
 */
export async function importCommons(what: ImportCommons): Promise<ImportReport> {
  const files = await listSources(what.sources)
  const { dataFolder, reserveBytes } = what
  await mkdir(dataFolder, { recursive: true })
  const space = new DiskSpace(dataFolder, reserveBytes)
  const place = { dataFolder, space, signal: what.signal }
  return withWorkFolder(place, async (workFolder, signal) => {
    const made = await makeNextRelease({
      ...what,
      signal,
      workFolder,
      read: async (into) => {
        await readAll(files, into, { ...what, signal })
        return {}
      },
      prove: what.strict ? proveAgreed : undefined,
    })
    await reportGenes(made, what)
    return made.report
  })
}

async function readAll(
  files: readonly SourceFile[],
  into: { readonly intake: Intake; readonly staging: Staging },
  { as, only, strict, executor, signal, onProgress }: ImportCommons,
): Promise<void> {
  const total = files.reduce((bytes, { size }) => bytes + size, 0)
  let done = 0
  const onRead = (bytes: number) => {
    // The beginning of some files is read twice.
    done = Math.min(done + bytes, total)
    onProgress?.({ phase: 'reading', done, total } satisfies ImportStep)
  }
  await readSources(files, into, { as, only, executor, signal, onRead })
  const { reports } = into.intake
  if (strict) proveUnderstood(into.intake)
  const taken = reports.filter(({ notTaken }) => notTaken === undefined)
  const [first] = reports
  if (taken.length > 0 || !first) return
  throw new EngineError(
    'bad_input',
    reports.length === 1
      ? `nothing can be taken from "${first.source}": ${first.notTaken}`
      : `nothing can be taken from any of ${reports.length} files, as from "${first.source}": ${first.notTaken}`,
    { at: first.source },
  )
}

/**
 * @throws EngineError bad_input for rows that were not taken, cells that could not be interpreted, or values
 * that may be of another unit
 */
function proveUnderstood({ reports, badRows }: Intake): void {
  const [bad] = badRows
  if (bad) {
    const rows = reports.reduce((sum, { badRows: count }) => sum + count, 0)
    throw new EngineError(
      'bad_input',
      `${rows} rows are not taken, the first one in "${bad.source}", line ${bad.line}: ${bad.reason}; correct them, or leave out --strict`,
      { at: `${bad.source}:${bad.line}` },
    )
  }
  const doubtful = reports.flatMap(({ source, columns }) =>
    columns.filter(({ misunderstood }) => misunderstood > 0).map((column) => ({ source, column })),
  )
  const [first] = doubtful
  if (!first) {
    proveClear(reports)
    return
  }
  const count = doubtful.reduce((sum, { column }) => sum + column.misunderstood, 0)
  const { source, column } = first
  const [example] = column.examples
  throw new EngineError(
    'bad_input',
    `${count} cells are not understood, the first one in "${source}", line ${example?.line}, column ${column.name}: "${example?.cell}"; correct them, or leave out --strict`,
    { at: `${source}:${example?.line}` },
  )
}

/** @throws EngineError bad_input for values that may be of another unit */
function proveClear(reports: Intake['reports']): void {
  for (const { source, doubts } of reports) {
    if (doubts === undefined) continue
    throw new EngineError(
      'bad_input',
      `"${source}": ${doubts[0]}; correct them, or leave out --strict`,
      { at: source },
    )
  }
}

/** @throws EngineError bad_input for sources that disagree, and for what `proveOfOneCase` refuses */
function proveAgreed(report: ImportReport): void {
  proveOfOneCase(report)
  for (const [name, { conflicts, firstConflict }] of Object.entries(report.datasets)) {
    const [first] = conflicts
    if (!first) continue
    const count = conflicts.reduce((sum, field) => sum + field.count, 0)
    const example = firstConflict ? conflictText(firstConflict) : first.name
    throw new EngineError(
      'bad_input',
      `sources disagree on ${count} values of ${name}, such as ${example}; correct them, or leave out --strict`,
    )
  }
}

/** @throws EngineError bad_input for specimens or clinical entities of several cases */
function proveOfOneCase({ possibleTwins: { shared, first } }: ImportReport): void {
  if (shared === 0) return
  const one = first.find(({ isSharing }) => isSharing)
  const named = one
    ? `: ${one.cases.map((each) => `"${each.case}"`).join(' and ')}, ${one.reason}`
    : ''
  throw new EngineError(
    'bad_input',
    `${shared} times cases have a specimen or a record in common${named}; or leave out --strict`,
  )
}

async function reportGenes(
  { report, sources }: MadeRelease,
  { onGenes, dryRun }: ImportCommons,
): Promise<void> {
  const hasGenes = report.sources.some(({ records }) => records.genes !== undefined)
  if (onGenes && !dryRun && hasGenes && sources.genes) onGenes(await readGeneRows(sources.genes))
}
