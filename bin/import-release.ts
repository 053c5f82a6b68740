import { type Command, InvalidArgumentError } from 'commander'
import { type DatasetName, formatReport, importCommons } from '../engine/commons/index.ts'
import type { GeneRow } from '../engine/shared/index.ts'
import { GeneModel } from '../engine/shared/internal.ts'
import { dataFolder, withSharedState } from './data-folder.ts'
import { type Progress, startProgress } from './progress.ts'
import { readStoredSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { withThreads } from './threads.ts'

/** Options of the commands that make the next release. */
export interface ReleaseOptions {
  readonly as?: DatasetName
  readonly only?: string
  readonly replace?: true
  readonly release?: string
  readonly dryRun?: true
  readonly maxErrors: number
  readonly json?: true
}

/** The options that all of these commands have. */
export function withReleaseOptions(command: Command): Command {
  return command
    .option('--replace', 'leave out what the current release holds')
    .option('--release <number>', 'number of the release, like 32.0; by default the next whole one')
    .option('--dry-run', 'report what would be made and make nothing')
    .option('--max-errors <number>', 'bad rows before the import is given up', wholeNumber, 1000)
    .option('--json', 'print the report as JSON')
}

/** Makes the next release of sources, with a bar for each phase, and prints the report. */
export async function importRelease(
  terminal: Terminal,
  command: Command,
  sources: readonly string[],
  { json, ...options }: ReleaseOptions,
): Promise<void> {
  const { as, only, replace, release, dryRun, maxErrors } = options
  const bars = drawSteps(terminal)
  const loaded: { genes?: readonly GeneRow[] } = {}
  const report = await withThreads((executor) =>
    importCommons({
      sources,
      executor,
      as,
      only,
      replace,
      release,
      dryRun,
      maxErrors,
      dataFolder: dataFolder(command),
      reserveBytes: readStoredSettings().reserveBytes,
      signal: terminal.signal,
      onProgress: bars.show,
      onGenes: (rows) => {
        loaded.genes = rows
      },
    }),
  ).finally(() => bars.stop())
  // Slicing finds genes by symbol in the state.
  const { genes } = loaded
  if (genes) {
    await withSharedState(command, { create: true }, (database) =>
      new GeneModel(database).replaceAll(genes),
    )
  }
  await terminal.write(json ? `${JSON.stringify(report)}\n` : formatReport(report))
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** How far an import is in one of its phases. */
interface Step {
  readonly phase: string
  readonly done: number
  readonly total: number
}

/** A bar for each phase in turn. */
export function drawSteps(terminal: Terminal) {
  let phase: string | undefined
  let bar: Progress | undefined
  let drawn = 0
  return {
    show(step: Step) {
      if (step.phase !== phase) {
        bar?.stop()
        bar = startProgress(terminal, step.phase, step.total)
        phase = step.phase
        drawn = 0
      }
      bar?.advance(step.done - drawn)
      drawn = step.done
    },
    stop: () => bar?.stop(),
  }
}
