import { Command } from 'commander'
import { Hcpcs } from '../../engine/registry/index.ts'
import { type CodeImportOptions, importCodes, withCodeImportOptions } from '../import-codes.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import hcpcs FILE`. */
export function importHcpcsCommand(terminal: Terminal): Command {
  const command = new Command('hcpcs')
    .description('import the published table of procedures')
    .argument('<file>', 'procedures of level II; plain or gzip')
  return withCodeImportOptions(command).action((file: string, options: CodeImportOptions) =>
    importCodes(terminal, command, options, (state, run) =>
      new Hcpcs({ state, clock: () => new Date() }).import(file, run),
    ),
  )
}
