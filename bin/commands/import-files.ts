import { Command, Option } from 'commander'
import { withEngine } from '../data-engine.ts'
import { IssuesFound } from '../frame.ts'
import { type Progress, startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  readonly manifest: string
  readonly from: string
  readonly link?: true
  readonly access?: 'open' | 'controlled'
  readonly project?: string[]
}

/** Command `casemill import files --manifest FILE --from DIR`. */
export function importFilesCommand(terminal: Terminal): Command {
  return new Command('files')
    .description(
      'store the files of a download manifest; prints a line for each file that does not match it',
    )
    .requiredOption(
      '--manifest <file>',
      'download manifest: id, filename, md5 and size of each file',
    )
    .requiredOption('--from <dir>', 'folder with the files, as FILENAME or ID/FILENAME')
    .option('--link', 'store references to the files instead of copies')
    .addOption(
      new Option(
        '--access <access>',
        'who can read files without a record in the release; by default only administrators',
      ).choices(['open', 'controlled']),
    )
    .option(
      '--project <id...>',
      'projects whose members can read these files if they are controlled',
    )
    .action(async (options: Options, command: Command) => {
      const { manifest, from, link = false, access, project: projects } = options
      const bar = drawBytes(terminal)
      const report = await withEngine(command, { create: true }, (engine) =>
        engine.commons.importFiles(
          { manifest, from, link, access, projects },
          {
            signal: terminal.signal,
            onProgress: bar.show,
            onIssue: ({ subject, problem }) => terminal.write(`${subject}\t${problem}\n`),
            onNote: ({ subject, problem }) => terminal.explain(`casemill: ${subject}: ${problem}`),
          },
        ),
      ).finally(() => bar.stop())
      const { stored, known, storedBytes, issues, withoutRecord, forAdministrators } = report
      const megabytes = (storedBytes / 1e6).toFixed(1)
      terminal.explain(`stored ${stored} files (${megabytes} MB), ${known} were already stored`)
      if (withoutRecord > 0)
        terminal.explain(`${withoutRecord} files have no record in the release`)
      if (forAdministrators > 0) terminal.explain(forAdministratorsNote(forAdministrators))
      if (issues > 0) {
        terminal.explain(`${issues} not stored; see standard output`)
        throw new IssuesFound(`${issues} findings`)
      }
    })
}

function forAdministratorsNote(count: number): string {
  const note = `${count} files can be read by administrators alone`
  return `casemill: warning: ${note}: neither a record nor --access and --project say who else may`
}

function drawBytes(terminal: Terminal) {
  let bar: Progress | undefined
  let drawn = 0
  return {
    show(bytes: number, total: number) {
      bar ??= startProgress(terminal, 'importing', total)
      bar.advance(bytes - drawn)
      drawn = bytes
    },
    stop: () => bar?.stop(),
  }
}
