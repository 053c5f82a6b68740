import { Command, InvalidArgumentError } from 'commander'
import {
  type Distribution,
  formatKeptReport,
  Releases,
  readReport,
} from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { formatReleasingReport, type ReleaseRequest } from '../../engine/submission/index.ts'
import { withEngine } from '../data-engine.ts'
import { dataFolder } from '../data-folder.ts'
import { IssuesFound } from '../frame.ts'
import {
  inMegabytes,
  makingFor,
  publishRelease,
  switchRelease,
  withNodes,
} from '../shared-releases.ts'
import { drawSteps } from '../steps.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends Pick<ReleaseRequest, 'release' | 'dryRun'> {
  readonly project?: string[]
  readonly switch?: boolean
  readonly json?: true
}

/** Command `casemill release`. */
export function releaseCommand(terminal: Terminal): Command {
  return new Command('release')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(publishCommand(terminal))
    .addCommand(switchCommand(terminal))
    .addCommand(withdrawCommand(terminal))
    .description('make the next release from the submissions of released projects')
    .option('--project <id...>', 'only these projects; by default all that are marked as released')
    .option(
      '--release <number>',
      'number of the release, such as 32.0; by default the next whole number',
    )
    .option('--dry-run', 'report what would be released and what prevents it, and change nothing')
    .option('--no-switch', 'with several nodes: offer the release without switching to it')
    .option('--json', 'print the report as JSON')
    .action(async ({ project: projects, json, ...options }: Options, command: Command) => {
      const bars = drawSteps(terminal)
      const { release, dryRun } = options
      const report = await withEngine(command, { create: false }, async (engine) => {
        const { distribution } = engine.commons
        return engine.submission.releasing.release({
          ...(distribution && (await makingFor(terminal, distribution, options))),
          release,
          dryRun,
          projects,
          signal: terminal.signal,
          onProgress: bars.show,
        })
      }).finally(() => bars.stop())
      await terminal.write(json ? `${JSON.stringify(report)}\n` : formatReleasingReport(report))
      if (report.problemCount > 0) throw new IssuesFound(`${report.problemCount} problems`)
    })
}

/** A release as `list` shows it. */
interface Listed {
  readonly release: string
  readonly date: string
  readonly id: string
  readonly isCurrent: boolean
  /** Size in bytes. Only for releases that nodes share. */
  readonly bytes?: number
  readonly nodes?: readonly string[]
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description(
      'list the releases of the data folder, or with several nodes those offered to all nodes, oldest first',
    )
    .option('--json', 'print JSON')
    .action(async (_: object, command: Command) => {
      // The parent command has the same option, so commander assigns it there.
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const { listed, isShared } = await withEngine(command, { create: false }, async (engine) => {
        const { distribution, releases } = engine.commons
        const listed = distribution ? await listShared(distribution) : await listOwn(releases)
        return { listed, isShared: distribution !== undefined }
      })
      const more = isShared ? ['bytes', 'nodes'] : []
      const cellsOf = ({ release, date, id, isCurrent, bytes, nodes }: Listed) => [
        release,
        date,
        isCurrent ? 'yes' : 'no',
        id,
        ...(isShared ? [String(bytes), nodes?.join(', ') ?? ''] : []),
      ]
      await terminal.write(
        json
          ? `${JSON.stringify(listed, null, 2)}\n`
          : formatTable(
              ['release', 'date', 'current', 'folder', ...more],
              listed.map(cellsOf),
              terminal.out.isTTY,
            ),
      )
      if (listed.length === 0)
        terminal.explain('no releases; make one with casemill import commons')
    })
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('show the reports of the imports that made a release')
    .argument('[id]', 'id from casemill release list; by default the current release')
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, _: object, command: Command) => {
      // The parent command has the same option, so commander assigns it there.
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const report = await readReport(dataFolder(command), id)
      await terminal.write(json ? `${JSON.stringify(report)}\n` : formatKeptReport(report))
    })
}

async function listOwn(releases: Releases): Promise<Listed[]> {
  const current = await releases.current()
  return (await releases.list()).map(({ id, dataRelease: release, version }) => ({
    release,
    date: version.releaseDate,
    id,
    isCurrent: id === current,
  }))
}

async function listShared(distribution: Distribution): Promise<Listed[]> {
  return (await distribution.list()).map(({ id, dataRelease: release, offeredAt, ...offer }) => {
    const { isCurrent, bytes, nodes } = offer
    return { release, date: offeredAt.slice(0, 10), id, isCurrent, bytes, nodes }
  })
}

function publishCommand(terminal: Terminal): Command {
  return new Command('publish')
    .description('upload a release of the data folder to the bucket and offer it to all nodes')
    .argument('[id]', 'folder name of the release; by default the current one')
    .option('--anew', 'also upload files that are already in the bucket')
    .action(async (named: string | undefined, { anew }: { anew?: true }, command: Command) => {
      const { id } = await withNodes(command, async (distribution) => {
        const id = named ?? (await new Releases(dataFolder(command)).current())
        if (id === undefined) {
          const message = 'the data folder has no release; make one with casemill import commons'
          throw new EngineError('not_found', message)
        }
        return publishRelease(terminal, distribution, id, anew)
      })
      terminal.explain(`to serve it on all nodes, run casemill release switch ${id}`)
    })
}

function switchCommand(terminal: Terminal): Command {
  return new Command('switch')
    .description('switch all nodes to an offered release, newer or older')
    .argument('<id>', 'id from casemill release list')
    .option(
      '--wait <seconds>',
      'seconds to wait for nodes that are not ready; 600 by default',
      wholeSeconds,
    )
    .action(async (id: string, { wait }: { readonly wait?: number }, command: Command) => {
      const options = wait === undefined ? {} : { waitSeconds: wait }
      const { beforeId, nodes, late } = await withNodes(command, (distribution) =>
        switchRelease(terminal, distribution, id, options),
      )
      const before = beforeId === undefined || beforeId === id ? '' : ` in place of ${beforeId}`
      await terminal.write(
        `release ${id} is current${before}; ${nodes - late.length} of ${nodes} nodes are ready\n`,
      )
    })
}

function withdrawCommand(terminal: Terminal): Command {
  return new Command('withdraw')
    .description(
      'stop offering a release that no node serves, and delete its files from the bucket unless other releases use them',
    )
    .argument('<id>', 'id from casemill release list')
    .action(async (id: string, _: object, command: Command) => {
      const { signal } = terminal
      const { objects, bytes, shared } = await withNodes(command, (distribution) =>
        distribution.withdraw(id, { signal }),
      )
      await terminal.write(
        `release ${id} is withdrawn; ${objects} objects of ${inMegabytes(bytes)} were removed, ${shared} stay with other releases\n`,
      )
    })
}

function wholeSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
