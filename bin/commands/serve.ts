import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { readConfig, shownConfig } from '../../server/config.ts'
import type { Terminal } from '../terminal.ts'

/** Where the demo is stored when no data folder is named. */
const DEMO_FOLDER = 'casemill-demo'

interface Options {
  readonly port?: string
  readonly host?: string
  readonly threads: string
  readonly printConfig?: true
}

/** `casemill serve` */
export function serveCommand(terminal: Terminal): Command {
  return new Command('serve')
    .description('serve the data folder, or a demo when none is named')
    .option('--port <number>', 'port to listen on; 0 for a free one (CASEMILL_PORT, 8080)')
    .option('--host <address>', 'address to listen on (CASEMILL_HOST, 127.0.0.1)')
    .option('--threads <number>', 'worker threads', String(availableParallelism()))
    .option('--print-config', 'print the settings and end')
    .action(async (options: Options, command: Command) => {
      const { data: named } = command.optsWithGlobals<{ data?: string }>()
      const { port, host } = options
      const data = named ?? DEMO_FOLDER
      const config = readConfig({ environment: process.env, flags: { port, host, data } })
      if (options.printConfig) {
        await terminal.write(`${JSON.stringify(shownConfig(config), undefined, 2)}\n`)
        return
      }
      const threads = Number(options.threads)
      if (!Number.isInteger(threads) || threads < 1 || threads > 256) {
        command.error(`--threads ${options.threads} is not a number from 1 to 256`)
      }
      // Loaded here: other commands start in half the time without it.
      const { serve } = await import('../serving.ts')
      await serve(config, threads, named === undefined, terminal)
    })
}
