import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type DatasetName,
  formatReport,
  importCommons,
  type NewCases,
} from '../engine/commons/index.ts'
import type { GeneRow } from '../engine/shared/index.ts'
import { GeneModel } from '../engine/shared/internal.ts'
import type { HeapLimits } from '../workers/pool.ts'
import { dataFolder, withSharedState } from './data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from './report-options.ts'
import { makeShared } from './shared-releases.ts'
import { drawSteps } from './steps.ts'
import { readStoredSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { withThreads } from './threads.ts'

/**
 * Heap limits for reading tables, whose rows create thousands of short-lived texts. With half the young
 * generation, collecting garbage takes a seventh of the time. Twice the size saves little.
 */
const HEAP: HeapLimits = { youngMegabytes: 16, oldMegabytes: 512 }

/** Options of the commands that create the next release. */
export interface ReleaseOptions extends ReportOptions {
  readonly as?: DatasetName
  readonly only?: string
  readonly replace?: true
  readonly release?: string
  readonly maxErrors: number
  readonly newCases?: NewCases
  readonly switch?: boolean
}

/** Adds the options of all commands that create the next release. */
export function withReleaseOptions(command: Command): Command {
  return withReportOptions(
    command
      .option('--replace', 'do not include the records of the current release')
      .option(
        '--release <number>',
        'number of the release, such as 32.0; by default the next whole number',
      )
      .option('--no-switch', 'with several nodes: offer the release without switching to it')
      .option(
        '--max-errors <number>',
        'number of bad rows that stops the import',
        wholeNumber,
        1000,
      ),
    {
      dryRun: 'make and report the release, but do not keep it',
      strict: 'stop the import at an invalid cell or a doubtful value',
    },
  )
}

/** Adds the options of commands that create the next release from tables of cases and variants. */
export function withTableOptions(command: Command): Command {
  return withReleaseOptions(command).addOption(
    new Option(
      '--new-cases <what>',
      'what to do with rows whose case is named nowhere else: refuse the import, add the cases and list them in the report (tell), or add the cases and count their rows (allow); by default refuse if the release or another source has cases and most rows belong to them, otherwise tell',
    ).choices(['refuse', 'tell', 'allow']),
  )
}

/** Creates the next release from sources, with a progress bar per phase, and prints the report. */
export async function importRelease(
  terminal: Terminal,
  command: Command,
  sources: readonly string[],
  options: ReleaseOptions,
): Promise<void> {
  const { as, only, replace, release, dryRun, maxErrors, newCases, strict } = options
  const bars = drawSteps(terminal)
  const loaded: { genes?: readonly GeneRow[] } = {}
  const report = await makeShared(terminal, command, options, (making) =>
    withThreads(
      (executor) =>
        importCommons({
          ...making,
          sources,
          executor,
          as,
          only,
          replace,
          release,
          dryRun,
          maxErrors,
          newCases,
          strict,
          dataFolder: dataFolder(command),
          reserveBytes: readStoredSettings().reserveBytes,
          signal: terminal.signal,
          onProgress: bars.show,
          onGenes: (rows) => {
            loaded.genes = rows
          },
        }),
      undefined,
      HEAP,
    ),
  ).finally(() => bars.stop())
  // Slicing looks genes up in the shared state.
  const { genes } = loaded
  if (genes) {
    await withSharedState(command, { create: true }, (database) =>
      new GeneModel(database).replaceAll(genes),
    )
  }
  await writeReport(terminal, options, report, formatReport)
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
