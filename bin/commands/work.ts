import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { WORK_KINDS, type WorkKind } from '../../engine/shared/index.ts'
import { quotedName, WorkQueue } from '../../engine/shared/internal.ts'
import { readConfig } from '../../server/config.ts'
import { dataFolder, withSharedState } from '../data-folder.ts'
import { hasData, noData } from '../has-data.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { threadCount } from '../thread-count.ts'

interface Options {
  readonly kinds?: string
  readonly port?: string
  readonly host?: string
  readonly threads?: string
}

/** Result of a task, by kind. */
const MADE_BY: Readonly<Record<WorkKind, string>> = {
  'block-directory': 'the position and checksum of each block of a BAM file',
  'gene-order': 'single-cell values in the order of genes',
}

const kindList = () => WORK_KINDS.map((kind) => `${kind} (${MADE_BY[kind]})`).join(', ')

/** Maximum number of tasks listed. */
const MAX_LISTED = 1000

/** Command `casemill work` and its subcommands. */
export function workCommand(terminal: Terminal): Command {
  return new Command('work')
    .description('run background work for the servers that share this data, until interrupted')
    .option('--kinds <names>', `kinds of work, separated by commas: ${kindList()}; by default all`)
    .option(
      '--port <number>',
      'port for health and metrics; 0 for a free one; by default CASEMILL_PORT, or else 8080',
    )
    .option('--host <address>', 'address to listen on; by default CASEMILL_HOST, or else 127.0.0.1')
    .option('--threads <number>', 'worker threads; by default one per processor')
    .action(async (options: Options, command: Command) => {
      const kinds = readKinds(options.kinds, command)
      const { port, host } = options
      const data = dataFolder(command)
      const config = readConfig({ environment: process.env, flags: { port, host, data } })
      if (config.stateUrl === null && !hasData(data)) throw noData(data)
      const threads = threadCount(options.threads, availableParallelism(), command)
      const { work } = await import('../working.ts')
      await work({ config, threads, kinds, terminal })
    })
    .addCommand(listCommand(terminal))
    .addCommand(retryCommand(terminal))
}

function readKinds(given: string | undefined, command: Command): readonly string[] {
  const kinds = given?.split(',') ?? WORK_KINDS
  for (const kind of kinds) requireKind(kind, command)
  return kinds
}

function requireKind(kind: string, command: Command): void {
  if (WORK_KINDS.some((known) => known === kind)) return
  command.error(`${quotedName(kind)} is no kind of background work; give ${WORK_KINDS.join(', ')}`)
}

/** Opens the queue without running its tasks, and passes it to `use`. */
function withQueue<Result>(
  command: Command,
  use: (queue: WorkQueue) => Promise<Result>,
): Promise<Result> {
  const clock = () => new Date()
  return withSharedState(command, { create: false }, (database) =>
    use(new WorkQueue({ database, clock, report: () => {} })),
  )
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list waiting, running and failed background work, without IDs of cases and files')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const tasks = await withQueue(command, (queue) => queue.list(MAX_LISTED))
      const now = Date.now()
      const shown = tasks.map(({ progress, enqueuedAt, ...task }) => ({
        ...task,
        ageSeconds: Math.max(0, Math.round((now - Date.parse(enqueuedAt)) / 1000)),
        percent: progress === null ? null : Math.round(100 * progress),
      }))
      const rows = shown.map(({ number, kind, state, ageSeconds, attempts, percent, error }) => [
        String(number),
        kind,
        state,
        `${ageSeconds} s`,
        String(attempts),
        percent === null ? '-' : `${percent} %`,
        error ?? '-',
      ])
      const header = ['number', 'kind', 'state', 'age', 'attempts', 'done', 'error']
      await terminal.write(
        json
          ? `${JSON.stringify(shown, null, 2)}\n`
          : formatTable(header, rows, terminal.out.isTTY),
      )
      if (tasks.length === MAX_LISTED) terminal.explain(`only the first ${MAX_LISTED} are shown`)
    })
}

function retryCommand(terminal: Terminal): Command {
  return new Command('retry')
    .description('retry background work that failed permanently')
    .argument('<kind>', `one of ${WORK_KINDS.join(', ')}`)
    .action(async (kind: string, _: unknown, command: Command) => {
      requireKind(kind, command)
      const count = await withQueue(command, (queue) => queue.retry(kind))
      terminal.explain(`${count} of ${kind} will be retried`)
    })
}
