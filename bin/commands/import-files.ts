import { Command, Option } from 'commander'
import type { ImportedFiles } from '../../engine/commons/index.ts'
import type { ColumnReport, Issue } from '../../engine/shared/index.ts'
import { columnLines } from '../../engine/shared/internal.ts'
import { withEngineToChange } from '../data-engine.ts'
import { IssuesFound } from '../frame.ts'
import { type Progress, startProgress } from '../progress.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends ReportOptions {
  readonly manifest: string
  readonly from: string
  readonly link?: true
  readonly access?: 'open' | 'controlled'
  readonly project?: string[]
}

/** Command `casemill import files --manifest FILE --from DIR`. */
export function importFilesCommand(terminal: Terminal): Command {
  const command = new Command('files')
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
  const texts = {
    dryRun: 'verify the files, but do not store them',
    strict: 'store nothing if a row of the manifest is not valid',
  }
  return withReportOptions(command, texts).action((options: Options) =>
    importFiles(terminal, command, options),
  )
}

/** Report of an import of files. */
interface FilesReport extends ImportedFiles {
  readonly source: string
  readonly dryRun: boolean
  readonly columns: readonly ColumnReport[]
  /** The first files that were not stored. `issues` counts all. */
  readonly notStored: readonly Issue[]
  /** Notes on files that were stored, such as the reason why a file cannot be sliced. */
  readonly notes: readonly Issue[]
}

/** Maximum number of issues, and of notes, in the report. */
const MAX_REPORTED = 1000

async function importFiles(terminal: Terminal, command: Command, options: Options): Promise<void> {
  const { manifest, from, link = false, access, project: projects, strict, json } = options
  const { dryRun = false } = options
  const bar = drawBytes(terminal)
  const notStored: Issue[] = []
  const notes: Issue[] = []
  let columns: readonly ColumnReport[] = []
  const imported = await withEngineToChange(command, { dryRun }, (engine) =>
    engine.commons.importFiles(
      { manifest, from, link, access, projects, dryRun, strict },
      {
        signal: terminal.signal,
        onProgress: bar.show,
        async onIssue(issue) {
          if (notStored.length < MAX_REPORTED) notStored.push(issue)
          if (!json) await terminal.write(`${issue.subject}\t${issue.problem}\n`)
        },
        onNote(note) {
          if (notes.length < MAX_REPORTED) notes.push(note)
          terminal.explain(`casemill: ${note.subject}: ${note.problem}`)
        },
        onColumns: (all) => {
          columns = all
        },
      },
    ),
  ).finally(() => bar.stop())
  const report = { source: manifest, dryRun, ...imported, columns, notStored, notes }
  // Standard output lists the files that are not stored, one per line.
  await writeReport(terminal, options, report, () => '')
  for (const line of summaryLines(report)) terminal.explain(line)
  if (report.issues > 0) throw new IssuesFound(`${report.issues} findings`)
}

function summaryLines(report: FilesReport): readonly string[] {
  const { stored, known, storedBytes, issues, withoutRecord, forAdministrators } = report
  const megabytes = (storedBytes / 1e6).toFixed(1)
  const verb = report.dryRun ? 'would store' : 'stored'
  return [
    ...columnLines(report.columns),
    `${verb} ${stored} files (${megabytes} MB), ${known} were already stored`,
    ...(withoutRecord > 0 ? [`${withoutRecord} files have no record in the release`] : []),
    ...(forAdministrators > 0 ? [forAdministratorsNote(forAdministrators)] : []),
    ...(issues > 0 ? [`${issues} not stored; see standard output`] : []),
  ]
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
