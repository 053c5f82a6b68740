import { Command } from 'commander'
import { COPY_NUMBER_TABLE } from '../../engine/commons/index.ts'
import { importRelease, type ReleaseOptions, withTableOptions } from '../import-release.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import copy-number FILE…`. */
export function importCopyNumberCommand(terminal: Terminal): Command {
  const command = new Command('copy-number')
    .description('make the next release with copy numbers of genes and segments')
    .argument('<file...>', 'tables of genes or segments, or folders of them, plain or gzip')
  return withTableOptions(command).action((sources: string[], options: ReleaseOptions) =>
    importRelease(terminal, command, sources, { ...options, only: COPY_NUMBER_TABLE }),
  )
}
