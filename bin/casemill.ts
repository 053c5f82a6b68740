#!/usr/bin/env node
import { Command } from 'commander'
import pkg from '../package.json' with { type: 'json' }
import { checkCommand } from './commands/check.ts'
import { getCommand } from './commands/get.ts'
import { importBamCommand } from './commands/import-bam.ts'
import { importCommonsCommand } from './commands/import-commons.ts'
import { importCopyNumberCommand } from './commands/import-copy-number.ts'
import { importExpressionCommand } from './commands/import-expression.ts'
import { importFilesCommand } from './commands/import-files.ts'
import { importGenesCommand } from './commands/import-genes.ts'
import { importHcpcsCommand } from './commands/import-hcpcs.ts'
import { importHematopoieticCommand } from './commands/import-hematopoietic.ts'
import { importMafCommand } from './commands/import-maf.ts'
import { importNdcCommand } from './commands/import-ndc.ts'
import { importRecordsCommand } from './commands/import-records.ts'
import { importStagingCommand } from './commands/import-staging.ts'
import { keyCommand } from './commands/key.ts'
import { mphCommand } from './commands/mph.ts'
import { notificationCommand } from './commands/notification.ts'
import { projectCommand } from './commands/project.ts'
import { releaseCommand } from './commands/release.ts'
import { serveCommand } from './commands/serve.ts'
import { sliceCommand } from './commands/slice.ts'
import { stageCommand } from './commands/stage.ts'
import { tokenCommand } from './commands/token.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { dataOption } from './data-folder.ts'
import { runProgram } from './frame.ts'
import { makeFilesPrivate } from './private-files.ts'
import { readGroupRead } from './stored-settings.ts'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal(process)

/** They write only where the user says, as the user's umask says. */
const OUTSIDE: readonly string[] = ['get', 'slice', 'stage', 'mph']

// A new command is one file in commands/ and one line here.
const program = new Command('casemill')
  .description(pkg.description)
  .addOption(dataOption())
  .addCommand(serveCommand(terminal))
  .addCommand(
    new Command('import')
      .description('load files into the data folder')
      .addCommand(importBamCommand(terminal))
      .addCommand(importCommonsCommand(terminal))
      .addCommand(importCopyNumberCommand(terminal))
      .addCommand(importExpressionCommand(terminal))
      .addCommand(importFilesCommand(terminal))
      .addCommand(importGenesCommand(terminal))
      .addCommand(importHcpcsCommand(terminal))
      .addCommand(importHematopoieticCommand(terminal))
      .addCommand(importMafCommand(terminal))
      .addCommand(importNdcCommand(terminal))
      .addCommand(importRecordsCommand(terminal, 'disease'))
      .addCommand(importRecordsCommand(terminal, 'glossary'))
      .addCommand(importRecordsCommand(terminal, 'rx'))
      .addCommand(importStagingCommand(terminal)),
  )
  .addCommand(releaseCommand(terminal))
  .addCommand(upgradeCommand(terminal))
  .addCommand(sliceCommand(terminal))
  .addCommand(stageCommand(terminal))
  .addCommand(mphCommand(terminal))
  .addCommand(getCommand(terminal))
  .addCommand(checkCommand(terminal))
  .addCommand(projectCommand(terminal))
  .addCommand(tokenCommand(terminal))
  .addCommand(keyCommand(terminal))
  .addCommand(notificationCommand(terminal))

program.hook('preAction', (_, command) => {
  if (!OUTSIDE.includes(command.name())) makeFilesPrivate(readGroupRead())
})

// That of an algorithm is given by the same option, which the program would take for its own.
if (!process.argv.includes('stage')) program.version(pkg.version)

process.exitCode = await runProgram(program, process.argv, terminal)
