import { Command } from 'commander'
import { Hcpcs, Ndc } from '../../engine/registry/index.ts'
import { type CodeImportOptions, importCodes, withRowOptions } from '../import-codes.ts'
import type { Terminal } from '../terminal.ts'

const AREAS = {
  ndc: { what: 'drug products', codes: Ndc },
  hcpcs: { what: 'procedures', codes: Hcpcs },
} as const

/** Commands `casemill import ndc-categories FILE` and `casemill import hcpcs-categories FILE`. */
export function importCategoriesCommand(terminal: Terminal, area: keyof typeof AREAS): Command {
  const { what, codes: Codes } = AREAS[area]
  const command = new Command(`${area}-categories`)
    .description(`import categories, classes and drugs of stored ${what}`)
    .argument('<file>', 'a table with a header, TSV or CSV, plain or gzip')
  return withRowOptions(command).action((file: string, options: CodeImportOptions) =>
    importCodes(terminal, command, options, (state, run) =>
      new Codes({ state, clock: () => new Date() }).importCategories(file, run),
    ),
  )
}
