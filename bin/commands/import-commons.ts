import { Command, InvalidArgumentError, Option } from 'commander'
import {
  DATASET_NAMES,
  type DatasetName,
  formatReport,
  GeneModel,
  type GeneRow,
  type ImportStep,
  importCommons,
} from '../../engine/index.ts'
import { dataFolder, withState } from '../data-folder.ts'
import { type Progress, startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly as?: DatasetName
  readonly replace?: true
  readonly release?: string
  readonly dryRun?: true
  readonly maxErrors: number
  readonly json?: true
}

/** `casemill import commons SOURCE…` */
export function importCommonsCommand(terminal: Terminal): Command {
  return new Command('commons')
    .description('make the next release of what a data commons returns and exports')
    .argument('<source...>', 'files or folders: JSON, TSV and CSV exports, plain or gzip')
    .option('--replace', 'leave out what the current release holds')
    .option('--release <number>', 'number of the release, like 32.0; by default the next whole one')
    .option('--dry-run', 'report what would be made and make nothing')
    .addOption(
      new Option('--as <dataset>', 'what the records of all sources are').choices(DATASET_NAMES),
    )
    .option('--max-errors <number>', 'bad rows before the import is given up', wholeNumber, 1000)
    .option('--json', 'print the report as JSON')
    .action(async (sources: string[], options: Options, command: Command) => {
      const { as, replace, release, dryRun, maxErrors, json } = options
      const bars = drawSteps(terminal)
      const loaded: { genes?: readonly GeneRow[] } = {}
      const report = await withThreads((executor) =>
        importCommons({
          ...{ sources, executor, as, replace, release, dryRun, maxErrors },
          dataFolder: dataFolder(command),
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
        await withState(command, { create: true }, (state) =>
          new GeneModel(state).replaceAll(genes),
        )
      }
      await terminal.write(json ? `${JSON.stringify(report)}\n` : formatReport(report))
    })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A bar for each phase in turn. */
function drawSteps(terminal: Terminal) {
  let phase: ImportStep['phase'] | undefined
  let bar: Progress | undefined
  let drawn = 0
  return {
    show(step: ImportStep) {
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
