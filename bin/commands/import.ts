import { Command } from 'commander'
import type { Terminal } from '../terminal.ts'

type MakeCommand = (terminal: Terminal) => Promise<Command>

const bam = () => import('./import-bam.ts')
const categories = () => import('./import-categories.ts')
const records = () => import('./import-records.ts')

// The modules are loaded on demand, because together they load most of the engine.
const COMMANDS: Readonly<Record<string, MakeCommand>> = {
  bam: async (terminal) => (await bam()).importBamCommand(terminal),
  commons: async (terminal) => (await import('./import-commons.ts')).importCommonsCommand(terminal),
  'copy-number': async (terminal) =>
    (await import('./import-copy-number.ts')).importCopyNumberCommand(terminal),
  cram: async (terminal) => (await bam()).importCramCommand(terminal),
  expression: async (terminal) =>
    (await import('./import-expression.ts')).importExpressionCommand(terminal),
  files: async (terminal) => (await import('./import-files.ts')).importFilesCommand(terminal),
  genes: async (terminal) => (await import('./import-genes.ts')).importGenesCommand(terminal),
  hcpcs: async (terminal) => (await import('./import-hcpcs.ts')).importHcpcsCommand(terminal),
  'hcpcs-categories': async (terminal) =>
    (await categories()).importCategoriesCommand(terminal, 'hcpcs'),
  hematopoietic: async (terminal) =>
    (await import('./import-hematopoietic.ts')).importHematopoieticCommand(terminal),
  maf: async (terminal) => (await import('./import-maf.ts')).importMafCommand(terminal),
  naaccr: async (terminal) => (await import('./import-naaccr.ts')).importNaaccrCommand(terminal),
  ndc: async (terminal) => (await import('./import-ndc.ts')).importNdcCommand(terminal),
  'ndc-categories': async (terminal) =>
    (await categories()).importCategoriesCommand(terminal, 'ndc'),
  disease: async (terminal) => (await records()).importRecordsCommand(terminal, 'disease'),
  glossary: async (terminal) => (await records()).importRecordsCommand(terminal, 'glossary'),
  rx: async (terminal) => (await records()).importRecordsCommand(terminal, 'rx'),
  staging: async (terminal) => (await import('./import-staging.ts')).importStagingCommand(terminal),
  surgery: async (terminal) => (await import('./import-surgery.ts')).importSurgeryCommand(terminal),
  variants: async (terminal) => (await bam()).importVariantsCommand(terminal),
}

/**
 * Builds the command `casemill import`, with a subcommand for each kind of file.
 * @param name the only subcommand to load. Any other name, or none, loads all.
 */
export async function importCommand(terminal: Terminal, name = ''): Promise<Command> {
  const command = new Command('import').description('load files into the data folder')
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  for (const make of named ? [named] : Object.values(COMMANDS)) {
    command.addCommand(await make(terminal))
  }
  return command
}
