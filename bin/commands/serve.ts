import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { readConfig, shownConfig } from '../../server/config.ts'
import { hasData } from '../has-data.ts'
import type { Terminal } from '../terminal.ts'
import { threadCount } from '../thread-count.ts'

/** Folder of the demo if no data folder is given. */
const DEMO_FOLDER = 'casemill-demo'

interface Options {
  readonly port?: string
  readonly host?: string
  readonly processes?: string
  readonly threads?: string
  readonly work: boolean
  readonly printConfig?: true
}

/** Command `casemill serve`. */
export function serveCommand(terminal: Terminal): Command {
  return new Command('serve')
    .description('serve the data folder, or a demo if you give none')
    .option(
      '--port <number>',
      'port to listen on; 0 for a free one; by default CASEMILL_PORT, or else 8080',
    )
    .option('--host <address>', 'address to listen on; by default CASEMILL_HOST, or else 127.0.0.1')
    .option(
      '--processes <number>',
      'processes that answer requests; by default CASEMILL_PROCESSES, or else 1',
    )
    .option(
      '--threads <number>',
      'worker threads of each process; by default the processors divided by the processes',
    )
    .option(
      '--no-work',
      'run no background tasks here, but leave them to `casemill work`, like CASEMILL_WORK=0',
    )
    .option('--print-config', 'print the settings and exit')
    .action(async (options: Options, command: Command) => {
      const { data: named } = command.optsWithGlobals<{ data?: string }>()
      const { port, host, processes } = options
      const data = named ?? DEMO_FOLDER
      const config = readConfig({
        environment: process.env,
        flags: { port, host, data, processes, work: options.work ? undefined : 0 },
      })
      if (options.printConfig) {
        await terminal.write(`${JSON.stringify(shownConfig(config), undefined, 2)}\n`)
        return
      }
      const share = Math.max(1, Math.floor(availableParallelism() / config.processes))
      const threads = threadCount(options.threads, share, command)
      // Without this message, a mistyped path would look as if the data were lost.
      if (named !== undefined && config.stateUrl === null && cluster.isPrimary && !hasData(named)) {
        terminal.explain(
          `casemill: no casemill data in "${named}" yet: a new, empty data folder is created there; if your data is elsewhere, give its folder by --data`,
        )
      }
      // The module is loaded here, because the primary of several processes needs no engine.
      if (config.processes > 1 && cluster.isPrimary) {
        const { serveByProcesses } = await import('../processes.ts')
        await serveByProcesses(config, terminal)
        return
      }
      const { serve } = await import('../serving.ts')
      await serve({ config, threads, isDemo: named === undefined, terminal })
    })
}
