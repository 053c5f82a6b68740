import { Command } from 'commander'
import {
  type HematopoieticTable,
  type ImportedHematopoietic,
  type ImportedTable,
  MultiplePrimaries,
} from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends ReportOptions {
  readonly shipped?: true
}

/** Command `casemill import hematopoietic FILE.csv…`. */
export function importHematopoieticCommand(terminal: Terminal): Command {
  const command = new Command('hematopoietic')
    .description('replace the tables for comparing hematopoietic tumors (CSV)')
    .argument(
      '[file...]',
      'tables, recognised by their header; tables without a file stay as they are',
    )
    .option('--shipped', 'restore the built-in tables')
  return withReportOptions(command).action(async (files: string[], options: Options) => {
    const { dryRun = false, shipped = false } = options
    if (shipped === files.length > 0) command.error('give files, or --shipped without files')
    const report = await withSharedStateToChange(command, { dryRun }, (state) => {
      const primaries = new MultiplePrimaries({ state })
      return shipped ? primaries.useShipped({ dryRun }) : primaries.import(files, { dryRun })
    })
    await writeReport(terminal, options, report, formatReport)
  })
}

const NAMES: Readonly<Record<HematopoieticTable, string>> = {
  rangePairs1998: 'same disease until 2000',
  groups2001: 'groups 2001-2009',
  groupPairs2001: 'same disease 2001-2009',
  samePrimary2010: 'same primary from 2010',
  transformFrom2010: 'transforms from, from 2010',
  transformTo2010: 'transforms to, from 2010',
}

/** Formats the row counts of each table, tab-separated. */
function formatReport({ tables }: ImportedHematopoietic): string {
  return tables.map((table) => `${NAMES[table.table]}\t${countsOf(table)}\n`).join('')
}

function countsOf({ added, removed, same, isReordered }: ImportedTable): string {
  const order = isReordered ? ', in another order' : ''
  return `${added} rows added, ${removed} removed, ${same} as they were${order}`
}
