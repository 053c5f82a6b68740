import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** Options that all imports have. */
export interface ReportOptions {
  readonly dryRun?: true
  readonly strict?: true
  readonly report?: string
  readonly json?: true
}

/** Help texts of the options that differ among commands. */
interface ReportOptionTexts {
  readonly dryRun?: string
  /** Defaults to the text of imports that accept no invalid content anyway. */
  readonly strict?: string
}

/** Adds the options that all imports have. */
export const withReportOptions = (
  command: Command,
  {
    dryRun = 'report what would change and change nothing',
    strict = 'accepted as in other imports, without effect: this import always stops at invalid content',
  }: ReportOptionTexts = {},
): Command =>
  command
    .option('--dry-run', dryRun)
    .option('--strict', strict)
    .option('--report <file>', 'also write the report as JSON to a file')
    .option('--json', 'print the report as JSON')

/** Prints the report of an import, and writes it to a file if the options name one. */
export async function writeReport<Report>(
  terminal: Terminal,
  { json, report: path }: Pick<ReportOptions, 'json' | 'report'>,
  report: Report,
  format: (report: Report) => string,
): Promise<void> {
  const text = `${JSON.stringify(report)}\n`
  if (path !== undefined) await writeFile(path, text)
  await terminal.write(json ? text : format(report))
}
