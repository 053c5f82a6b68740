import { type Command, Option } from 'commander'
import {
  CHANGES,
  type CodeImport,
  type ImportedCodes,
  type RowFate,
  type TableReport,
} from '../engine/registry/index.ts'
import { EngineError } from '../engine/shared/index.ts'
import type { Database } from '../engine/shared/internal.ts'
import { withSharedStateToChange } from './data-folder.ts'
import { drawSteps } from './steps.ts'
import type { Terminal } from './terminal.ts'
import { openTsvFile } from './tsv-file.ts'

/** Options of the commands that import code tables. */
export interface CodeImportOptions {
  readonly dryRun?: true
  readonly skipBad?: true
  readonly partial?: true
  readonly strict?: true
  readonly report?: string
  readonly changes?: string
  readonly json?: true
}

/** Adds the options of commands that import published tables, each of which contains all codes of its kind. */
export const withCodeImportOptions = (command: Command): Command =>
  withRowOptions(command).option(
    '--partial',
    'do not mark stored records that are missing from the tables as removed',
  )

/** Adds the options that all these commands share. */
export function withRowOptions(command: Command): Command {
  return command
    .option('--dry-run', 'report what would change and change nothing')
    .option('--skip-bad', 'load all other rows if some are refused')
    .addOption(
      new Option('--strict', 'also refuse rows that are not in UTF-8').conflicts('skipBad'),
    )
    .addOption(new Option('--report <file>', 'write the outcome of each row, tab-separated'))
    .addOption(new Option('--changes <file>', 'write the records that change, tab-separated'))
    .option('--json', 'print the report as JSON')
}

/** Maximum number of rejected rows printed. A report file has all. */
const MAX_SHOWN = 20

/**
 * Imports code tables with a progress bar per phase, and prints the report.
 * @throws EngineError `bad_input` if invalid rows prevent the import
 */
export async function importCodes(
  terminal: Terminal,
  command: Command,
  options: CodeImportOptions,
  load: (state: Database, run: CodeImport) => Promise<ImportedCodes>,
): Promise<void> {
  const { dryRun = false, skipBad, partial, strict, json } = options
  const refused: RowFate[] = []
  const bars = drawSteps(terminal)
  const rows = openTsvFile(options.report, ['file', 'line', 'fate', 'code', 'column', 'reason'])
  const changes = openTsvFile(options.changes, ['change', 'code'])
  const run: CodeImport = {
    user: 'casemill import',
    dryRun,
    skipBad,
    partial,
    strict,
    signal: terminal.signal,
    onProgress: bars.show,
    onRow(row) {
      if (row.fate === 'refuse' && refused.length < MAX_SHOWN) refused.push(row)
      rows?.write([row.file, row.line, row.fate, row.code, row.column, row.reason])
    },
    onChange: ({ change, code }) => changes?.write([change, code]),
  }
  let report: ImportedCodes
  try {
    report = await withSharedStateToChange(command, { dryRun }, (state) => load(state, run))
  } finally {
    bars.stop()
    rows?.close()
    changes?.close()
  }
  const shown = { ...report, refused }
  await terminal.write(json ? `${JSON.stringify(shown)}\n` : formatCodeReport(report, refused))
  if (report.loaded) return
  const count = report.tables.reduce((sum, table) => sum + table.refused, 0)
  throw new EngineError(
    'bad_input',
    `${count} ${count === 1 ? 'row is' : 'rows are'} refused, so nothing was loaded; mend the tables, or leave such rows out by --skip-bad`,
  )
}

/** Formats the counts of rows and records, tab-separated, and the first rejected rows. */
function formatCodeReport(report: ImportedCodes, refused: readonly RowFate[]): string {
  const { tables, records, differing } = report
  const lines = tables.flatMap(tableLines)
  for (const { file, line, column, reason } of refused) {
    lines.push(`refused\t${file}:${line}${column === undefined ? '' : ` ${column}`}\t${reason}`)
  }
  const names = Object.entries(differing).map(([name, count]) => `${name} (${count})`)
  if (names.length > 0) lines.push(`rows of one record differ in\t${names.join(', ')}`)
  if (records) {
    const counts = CHANGES.map((change) => `${records[change]} ${change}`)
    lines.push(`records\t${counts.join(', ')}, ${records.same} as they were`)
  }
  return `${lines.join('\n')}\n`
}

function tableLines({ file, layout, dropped, otherEncoding, ...counts }: TableReport): string[] {
  const { rows, loaded, merged, refused } = counts
  const counted = `${rows} rows: ${loaded} loaded, ${merged} merged, ${refused} refused`
  return [
    `${file}\t${layout}, ${counted}`,
    ...(dropped.length > 0 ? [`left out\t${dropped.join(', ')}`] : []),
    ...(otherEncoding > 0 ? [`read as windows-1252\t${otherEncoding} rows`] : []),
  ]
}
