import { Command } from 'commander'
import { formatReleasingReport, type ReleaseRequest } from '../../engine/submission/index.ts'
import { IssuesFound } from '../frame.ts'
import { drawSteps } from '../import-release.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

interface Options extends Pick<ReleaseRequest, 'release' | 'dryRun'> {
  readonly project?: string[]
  readonly json?: true
}

/** `casemill release` */
export function releaseCommand(terminal: Terminal): Command {
  return new Command('release')
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
