import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { stdin } from 'node:process'
import { Command } from 'commander'
import { type CaseLines, EngineError, Staging } from '../../engine/index.ts'
import { withState } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
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
const READ_BYTES = 256 << 10

/** `casemill stage --algorithm A --version V cases.ndjson` */
export function stageCommand(terminal: Terminal): Command {
  return new Command('stage')
    .description('stage cases, a JSON object on each line; an answer on each line, in order')
    .argument('<file>', 'cases; - for standard input')
    .requiredOption('--algorithm <name>', 'algorithm of the data folder')
    .requiredOption('--version <name>', 'its version; latest is the newest production version')
    .option('--explain', 'tell each look at a table and the row that answered')
    .option('-o, --output <file>', 'where to write; by default standard output')
    .action((path: string, options: Options, command: Command) => {
      const { algorithm, version, explain = false, output } = options
      return withState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const staging = new Staging({ state, executor, clock: () => new Date() })
          const { signal } = terminal
          const staged = await staging.stageLines(
            ...([CALLER, algorithm, version, await openCases(path)] as const),
            { explain, signal },
          )
          await deliver(staged, output, terminal)
        }),
      )
    })
}

async function openCases(path: string): Promise<CaseLines> {
  if (path === '-') return stdin
  try {
    await access(path, constants.R_OK)
  } catch (cause) {
    throw new EngineError('not_found', `"${path}" cannot be read`, { cause })
  }
  return createReadStream(path, { highWaterMark: READ_BYTES })
}
