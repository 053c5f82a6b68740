import { Command } from 'commander'
import { LineBatches, MultiplePrimaries } from '../../engine/registry/index.ts'
import { withSharedStateIfGiven } from '../data-folder.ts'
import { deliverLines, lineFileName, openLines } from '../line-file.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly output?: string
}

/** Command `casemill mph FILE`, which decides for pairs of tumors whether they are one primary or two. */
export function mphCommand(terminal: Terminal): Command {
  return new Command('mph')
    .description(
      'compare pairs of tumours, one JSON object per line; prints one result per line; exit status 1 if a line is not a pair',
    )
    .argument(
      '<file>',
      'pairs {"input1": {...}, "input2": {...}}, plain or gzip; - for standard input',
    )
    .option('-o, --output <file>', 'output file; by default standard output')
    .action((path: string, { output }: Options, command: Command) =>
      withSharedStateIfGiven(command, (state) =>
        withThreads(async (executor) => {
          const primaries = new MultiplePrimaries({ state, batches: new LineBatches(executor) })
          const lines = await openLines(path)
          const { signal } = terminal
          const file = lineFileName(path)
          const answers = await primaries.compareLines(lines, { signal, file })
          await deliverLines(answers, { file, output }, terminal)
        }),
      ),
    )
}
