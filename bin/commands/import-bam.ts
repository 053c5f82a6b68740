import { stat } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

interface Options {
  readonly id?: string
  readonly index?: string
  readonly access?: 'open' | 'controlled'
  readonly project?: string
  readonly link?: true
}

/** `casemill import bam FILE` */
export function importBamCommand(terminal: Terminal): Command {
  return new Command('bam')
    .description('store an alignment file: proves it, copies it, makes its block directory')
    .argument('<file>', 'BAM file, sorted by coordinate')
    .option('--id <uuid>', 'id to store it under; by default made from its bytes and name')
    .option('--index <file>', 'its BAI or CSI; by default the one beside it')
    .addOption(
      new Option(
        '--access <access>',
        'who may read it where no record of the release says so; by default controlled',
      ).choices(['open', 'controlled']),
    )
    .option('--project <id>', 'project whose members may read it when controlled')
    .option('--link', 'refer to the file where it is instead of copying it')
    .action(async (path: string, options: Options, command: Command) => {
      const { id, index, access, project, link = false } = options
      const { size } = await stat(path)
      const progress = startProgress(terminal, 'importing', size)
      let done = 0
      const imported = await withEngine(command, { create: true }, (engine) =>
        engine.commons.importBam(
          { path, id, indexPath: index, access, project, link },
          {
            signal: terminal.signal,
            onProgress: (bytes) => {
              progress.advance(bytes - done)
              done = bytes
            },
          },
        ),
      ).finally(() => progress.stop())
      for (const warning of imported.warnings) terminal.explain(`casemill: warning: ${warning}`)
      const { file, records, known } = imported
      terminal.explain(
        `${file.fileName}: ${records} records, md5 ${file.md5}${known ? ', was stored before' : ''}`,
      )
      await terminal.write(`${file.id}\n`)
    })
}
