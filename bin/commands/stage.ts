import { Command } from 'commander'
import { LineBatches, Staging } from '../../engine/registry/index.ts'
import { withState } from '../data-folder.ts'
import { deliverLines, openLines } from '../line-file.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly algorithm: string
  readonly version: string
  readonly explain?: true
  readonly output?: string
}

/** Who may use the data folder may use all of it. */
const CALLER = { user: 'casemill stage', roles: new Set(['ADMIN'] as const) }

/** `casemill stage --algorithm A --version V cases.ndjson` */
export function stageCommand(terminal: Terminal): Command {
  return new Command('stage')
    .description(
      'stage cases, a JSON object on each line; an answer on each line, in order; exit status 1 if a line is no case',
    )
    .argument('<file>', 'cases; - for standard input')
    .requiredOption('--algorithm <name>', 'algorithm of the data folder')
    .requiredOption('--version <name>', 'its version; latest is the newest production version')
    .option('--explain', 'tell each look at a table and the row that answered')
    .option('-o, --output <file>', 'where to write; by default standard output')
    .action((path: string, options: Options, command: Command) => {
      const { algorithm, version, explain = false, output } = options
      return withState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const batches = new LineBatches(executor)
          const staging = new Staging({ state, batches, clock: () => new Date() })
          const { signal } = terminal
          const lines = await openLines(path)
          const staged = await staging
            .version(CALLER, { algorithm, version })
            .stageLines(lines, { explain, signal })
          await deliverLines(staged, output, terminal)
        }),
      )
    })
}
