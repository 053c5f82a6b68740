import { Command } from 'commander'
import { Ndc } from '../../engine/registry/index.ts'
import { type CodeImportOptions, importCodes, withCodeImportOptions } from '../import-codes.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import ndc PRODUCTS [PACKAGES]`. */
export function importNdcCommand(terminal: Terminal): Command {
  const command = new Command('ndc')
    .description('import the published tables of drug products')
    .argument('<products>', 'products, or packages with their products; plain or gzip')
    .argument('[packages]', 'packages of these products; plain or gzip')
  return withCodeImportOptions(command).action(
    (products: string, packages: string | undefined, options: CodeImportOptions) =>
      importCodes(terminal, command, options, (state, run) =>
        new Ndc({ state, clock: () => new Date() }).import({ products, packages }, run),
      ),
  )
}
