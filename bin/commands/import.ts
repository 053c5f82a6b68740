import { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { importBamCommand, importCramCommand, importVariantsCommand } from './import-bam.ts'
import { importCategoriesCommand } from './import-categories.ts'
import { importCommonsCommand } from './import-commons.ts'
import { importCopyNumberCommand } from './import-copy-number.ts'
import { importExpressionCommand } from './import-expression.ts'
import { importFilesCommand } from './import-files.ts'
import { importGenesCommand } from './import-genes.ts'
import { importHcpcsCommand } from './import-hcpcs.ts'
import { importHematopoieticCommand } from './import-hematopoietic.ts'
import { importMafCommand } from './import-maf.ts'
import { importNaaccrCommand } from './import-naaccr.ts'
import { importNdcCommand } from './import-ndc.ts'
import { importRecordsCommand } from './import-records.ts'
import { importStagingCommand } from './import-staging.ts'
import { importSurgeryCommand } from './import-surgery.ts'

/** Command `casemill import`, with a subcommand for each kind of file. */
export function importCommand(terminal: Terminal): Command {
  return new Command('import')
    .description('load files into the data folder')
    .addCommand(importBamCommand(terminal))
    .addCommand(importCommonsCommand(terminal))
    .addCommand(importCopyNumberCommand(terminal))
    .addCommand(importCramCommand(terminal))
    .addCommand(importExpressionCommand(terminal))
    .addCommand(importFilesCommand(terminal))
    .addCommand(importGenesCommand(terminal))
    .addCommand(importHcpcsCommand(terminal))
    .addCommand(importCategoriesCommand(terminal, 'hcpcs'))
    .addCommand(importHematopoieticCommand(terminal))
    .addCommand(importMafCommand(terminal))
    .addCommand(importNaaccrCommand(terminal))
    .addCommand(importNdcCommand(terminal))
    .addCommand(importCategoriesCommand(terminal, 'ndc'))
    .addCommand(importRecordsCommand(terminal, 'disease'))
    .addCommand(importRecordsCommand(terminal, 'glossary'))
    .addCommand(importRecordsCommand(terminal, 'rx'))
    .addCommand(importStagingCommand(terminal))
    .addCommand(importSurgeryCommand(terminal))
    .addCommand(importVariantsCommand(terminal))
}
