import { Command } from 'commander'
import { formatReleasingReport, type ReleaseRequest } from '../../engine/submission/index.ts'
import { IssuesFound } from '../frame.ts'
import { drawSteps } from '../import-release.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

interface Options extends Pick<ReleaseRequest, 'release' | 'dryRun'> {
  readonly project?: string[]
  readonly json?: true
}

/** `casemill release` */
export function releaseCommand(terminal: Terminal): Command {
  return new Command('release')
    .addCommand(listCommand(terminal))
    .description('make the next release with what released projects have submitted')
    .option('--project <id...>', 'only these projects; by default all that are marked as released')
    .option('--release <number>', 'number of the release, like 32.0; by default the next whole one')
    .option('--dry-run', 'tell what would be released and what prevents it, and change nothing')
    .option('--json', 'print the report as JSON')
    .action(async ({ project: projects, json, ...options }: Options, command: Command) => {
      const bars = drawSteps(terminal)
      const report = await withEngine(command, { create: false }, (engine) =>
        engine.submission.releasing.release({
          ...options,
          projects,
          signal: terminal.signal,
          onProgress: bars.show,
        }),
      ).finally(() => bars.stop())
      await terminal.write(json ? `${JSON.stringify(report)}\n` : formatReleasingReport(report))
      if (report.problemCount > 0) throw new IssuesFound(`${report.problemCount} problems`)
    })
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('show the releases of the data folder, oldest first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const listed = await withEngine(
        command,
        { create: false },
        async ({ commons: { releases } }) => {
          const current = await releases.current()
          return (await releases.list()).map(({ id, dataRelease: release, version }) => ({
            ...{ release, date: version.releaseDate, id, isCurrent: id === current },
          }))
        },
      )
      await terminal.write(
        json
          ? `${JSON.stringify(listed, null, 2)}\n`
          : formatTable(
              ['release', 'date', 'current', 'folder'],
              listed.map(({ release, date, id, isCurrent }) => [
                ...[release, date, isCurrent ? 'yes' : 'no', id],
              ]),
              terminal.out.isTTY,
            ),
      )
      if (listed.length === 0) terminal.explain('no releases; casemill import commons makes one')
    })
}
