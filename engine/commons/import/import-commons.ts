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
import type { ImportReport, SourceReport } from './report.ts'
import type { Staging } from './staging.ts'

export interface ImportCommons extends ReleaseToMake {
  /** Files or folders, in the order in which they count: of equals the later one wins. */
  readonly sources: readonly string[]
  /** Dataset of all JSON records and of tables in the form of search answers. */
  readonly as?: DatasetName | undefined
  /** Name of the one kind of table that is taken; nothing else is. */
  readonly only?: string | undefined
  /** A cell that is not understood ends the import. */
  readonly strict?: boolean | undefined
  /** What is left free on the disk. */
  readonly reserveBytes?: number | undefined
  /** Called with the release's gene model when genes were among the sources, after the switch. */
  readonly onGenes?: ((genes: readonly GeneRow[]) => void) | undefined
}

/**
 * Makes the next release of what the public service returns and exports (issue of the release
 * store; data notes). Nothing that can be seen changes until it is complete; killed, it leaves a
 * folder that the next import removes.
 * @throws EngineError not_found, bad_input (a damaged source, too many bad rows, nothing to take),
 *   conflict (another import runs), corrupt_source (the current release is damaged), unavailable
 *   (the disk is full)
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
    // The beginning of some is read twice.
    done = Math.min(done + bytes, total)
    onProgress?.({ phase: 'reading', done, total } satisfies ImportStep)
  }
  await readSources(files, into, { as, only, executor, signal, onRead })
  const { reports } = into.intake
  if (strict) proveUnderstood(reports)
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

/** @throws EngineError bad_input for cells that were not understood */
function proveUnderstood(reports: readonly SourceReport[]): void {
  const doubtful = reports.flatMap(({ source, columns }) =>
    columns.filter(({ misunderstood }) => misunderstood > 0).map((column) => ({ source, column })),
  )
  const [first] = doubtful
  if (!first) return
  const count = doubtful.reduce((sum, { column }) => sum + column.misunderstood, 0)
  const { source, column } = first
  const [example] = column.examples
  throw new EngineError(
    'bad_input',
    `${count} cells are not understood, the first one in "${source}", line ${example?.line}, column ${column.name}: "${example?.cell}"; correct them, or leave out --strict`,
    { at: `${source}:${example?.line}` },
  )
}

async function reportGenes(
  { report, sources }: MadeRelease,
  { onGenes, dryRun }: ImportCommons,
): Promise<void> {
  const hasGenes = report.sources.some(({ records }) => records.genes !== undefined)
  if (onGenes && !dryRun && hasGenes && sources.genes) onGenes(await readGeneRows(sources.genes))
}
