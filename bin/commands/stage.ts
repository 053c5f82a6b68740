import { Command } from 'commander'
import { LineBatches, Staging } from '../../engine/registry/index.ts'
import { withState } from '../data-folder.ts'
import { deliverLines, openLines } from '../line-file.ts'
import { listed, versionNamed, versionsOf, withKeysChecked } from '../staging-version.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly algorithm?: string
  readonly version?: string
  readonly explain?: true
  readonly output?: string
}

/** `casemill stage --algorithm A --version V cases.ndjson` */
export function stageCommand(terminal: Terminal): Command {
  return new Command('stage')
    .description(
      'stage cases, a JSON object on each line; an answer on each line, in order; exit status 1 if a line is no case',
    )
    .argument('<file>', 'cases; - for standard input')
    .option('--algorithm <name>', 'algorithm of the data folder, as staging list shows')
    .option('--version <name>', 'its version; latest is the newest production version')
    .option('--explain', 'tell each look at a table and the row that answered')
    .option('-o, --output <file>', 'where to write; by default standard output')
    .action((path: string, options: Options, command: Command) => {
      const { algorithm, version, explain = false, output } = options
      return withState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const batches = new LineBatches(executor)
          const staging = new Staging({ state, batches, clock: () => new Date() })
          // Both are told at once, with what there is to choose from.
          if (algorithm === undefined || version === undefined) {
            const all = listed(versionsOf(staging))
            return command.error(`give --algorithm NAME and --version NAME; ${all}`)
          }
          const { signal } = terminal
          const by = versionNamed(staging, { algorithm, version })
          const warn = (sentence: string) => terminal.explain(`casemill: warning: ${sentence}`)
          const lines = withKeysChecked(await openLines(path), by, warn)
          await deliverLines(await by.stageLines(lines, { explain, signal }), output, terminal)
        }),
      )
    })
}
