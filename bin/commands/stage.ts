import { Command, Option } from 'commander'
import { LineBatches, Staging } from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { deliverLines, lineFileName, openLines } from '../line-file.ts'
import {
  addVersionOptions,
  requestedVersion,
  type VersionOptions,
  withKeysChecked,
} from '../staging-version.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options extends VersionOptions {
  readonly explain?: true
  readonly hints?: true
  readonly naaccr?: true
  readonly from?: string
  readonly ignore?: readonly string[]
  readonly output?: string
}

/** Command `casemill stage --algorithm A --version V cases.ndjson`. */
export function stageCommand(terminal: Terminal): Command {
  const command = new Command('stage')
    .description(
      'stage cases, one JSON object per line; prints one result per line, in order; exit status 1 if a line is not a case',
    )
    .argument('<file>', 'cases, plain or gzip; - for standard input')
  return addVersionOptions(command)
    .option('--explain', 'show each table that was used and its matching row')
    .option(
      '--hints',
      'name the outputs that an error affects and, if several schemas match, the inputs that would decide',
    )
    .option('--naaccr', 'add NAACCR numbers, ids and names of inputs and outputs')
    .addOption(
      new Option(
        '--from <version>',
        'an earlier version, to report for each case whether, how and why its result changed',
      ).conflicts(['explain', 'hints', 'naaccr']),
    )
    .option('--ignore <outputs...>', 'with --from: outputs to ignore')
    .option('-o, --output <file>', 'output file; by default standard output')
    .action((path: string, options: Options, command: Command) => {
      const { explain = false, hints = false, naaccr = false } = options
      const { from, ignore: ignored, output } = options
      if (ignored !== undefined && from === undefined) {
        command.error('--ignore requires --from VERSION, the earlier version to compare with')
      }
      return withSharedState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const batches = new LineBatches(executor)
          const staging = new Staging({ state, batches, clock: () => new Date() })
          const { signal } = terminal
          const by = await requestedVersion(staging, options, command)
          const warn = (sentence: string) => terminal.explain(`casemill: warning: ${sentence}`)
          const lines = withKeysChecked(await openLines(path), by, warn)
          const file = lineFileName(path)
          const answers =
            from === undefined
              ? await by.stageLines(lines, { explain, hints, naaccr, signal, file })
              : await by.stageDifference(lines, { from, ignored, signal, file })
          await deliverLines(answers, { file, output }, terminal)
        }),
      )
    })
}
