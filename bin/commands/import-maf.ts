import { Command } from 'commander'
import { MUTATION_TABLE } from '../../engine/commons/index.ts'
import { importRelease, type ReleaseOptions, withTableOptions } from '../import-release.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import maf FILE…`. */
export function importMafCommand(terminal: Terminal): Command {
  const command = new Command('maf')
    .description('make the next release with mutations from MAF tables')
    .argument('<file...>', 'mutation tables (MAF) or folders of them, plain or gzip')
  return withTableOptions(command).action((sources: string[], options: ReleaseOptions) =>
    importRelease(terminal, command, sources, { ...options, only: MUTATION_TABLE }),
  )
}
