import { Command, Option } from 'commander'
import { DATASET_NAMES } from '../../engine/commons/index.ts'
import { importRelease, type ReleaseOptions, withTableOptions } from '../import-release.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import commons SOURCE…`. */
export function importCommonsCommand(terminal: Terminal): Command {
  const command = new Command('commons')
    .description('make the next release from responses and exports of a data commons')
    .argument('<source...>', 'files or folders: JSON, TSV and CSV exports, plain or gzip')
    .addOption(
      new Option('--as <dataset>', 'dataset of the records of all sources').choices(DATASET_NAMES),
    )
  return withTableOptions(command).action((sources: string[], options: ReleaseOptions) =>
    importRelease(terminal, command, sources, options),
  )
}
