import { Command } from 'commander'
import { LineBatches, MultiplePrimaries } from '../../engine/registry/index.ts'
import { withStateIfGiven } from '../data-folder.ts'
import { deliverLines, openLines } from '../line-file.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly output?: string
}

/** `casemill mph pairs.ndjson` */
export function mphCommand(terminal: Terminal): Command {
  return new Command('mph')
    .description(
      'compare tumours, a pair as a JSON object on each line; an answer on each line; exit status 1 if a line is no pair',
    )
    .argument('<file>', 'pairs {"input1": {...}, "input2": {...}}; - for standard input')
    .option('-o, --output <file>', 'where to write; by default standard output')
    .action((path: string, { output }: Options, command: Command) =>
      withStateIfGiven(command, (state) =>
        withThreads(async (executor) => {
          const primaries = new MultiplePrimaries({ state, batches: new LineBatches(executor) })
          const lines = await openLines(path)
          const { signal } = terminal
          await deliverLines(await primaries.compareLines(lines, { signal }), output, terminal)
        }),
      ),
    )
}
