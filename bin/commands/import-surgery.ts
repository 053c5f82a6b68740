import { Command } from 'commander'
import { type ImportedSurgery, Surgery } from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import surgery FILE.xml…`. */
export function importSurgeryCommand(terminal: Terminal): Command {
  const command = new Command('surgery')
    .description('import tables of surgery codes; replaces the stored tables of the same year')
    .argument(
      '<file...>',
      'tables of a year (XML, plain or gzip), with the year at the end of the file name',
    )
  return withReportOptions(command).action(async (files: string[], options: ReportOptions) => {
    const { dryRun = false } = options
    const { signal } = terminal
    const reports = await withSharedStateToChange(command, { dryRun }, (state) =>
      new Surgery({ state }).import(files, { dryRun, signal }),
    )
    await writeReport(terminal, options, reports, (all) => all.map(formatReport).join(''))
  })
}

const CHANGES = { added: 'added', changed: 'changed', same: 'as they were' } as const

/** Formats the year of the tables, their edition and the change. */
function formatReport({ year, edition, change, tables, rows }: ImportedSurgery): string {
  return `${year}\t${edition}\t${tables} tables of ${rows} rows ${CHANGES[change]}\n`
}
