import { Argument, Command } from 'commander'
import { ALL_RECODES, LineBatches, Recodes } from '../../engine/registry/index.ts'
import { deliverLines, lineFileName, openLines } from '../line-file.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly version?: string
  readonly output?: string
}

/** Command `casemill recode seer cases.ndjson`. */
export function recodeCommand(terminal: Terminal): Command {
  const recodes = new Argument('<recode>', 'recode')
  return new Command('recode')
    .description(
      'recode cases or patients, one JSON object per line; prints one result per line; exit status 1 if a line is invalid',
    )
    .addArgument(recodes.choices(ALL_RECODES.map(({ id }) => id)))
    .argument(
      '<file>',
      'cases {"site": "C509", "hist": "8500"}, or patients {"tumors": [{...}]}, plain or gzip; - for standard input',
    )
    .option(
      '--version <name>',
      'edition of the recode; by default the first one in the reference of recodes',
    )
    .option('-o, --output <file>', 'output file; by default standard output')
    .action((recode: string, path: string, { version, output }: Options) =>
      withThreads(async (executor) => {
        const batches = new LineBatches(executor)
        const { signal } = terminal
        const file = lineFileName(path)
        const lines = await openLines(path)
        const run = { signal, file }
        const answers = await new Recodes({ batches }).recodeLines(lines, { recode, version }, run)
        await deliverLines(answers, { file, output }, terminal)
      }),
    )
}
