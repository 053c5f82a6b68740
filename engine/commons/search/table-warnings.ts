import type { TableForm } from '../../shared/formats/table-cells.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { BodyFormat } from '../render/render.ts'

/** Column count that most programs can still open. */
const MAX_COLUMNS = 1000

/** Returns whether a format is a text table. */
export const isTextTable = (format: BodyFormat): format is TableForm =>
  format === 'tsv' || format === 'csv'

/** Warns about a table with more columns than most programs can open. */
export function warnOfColumns(columns: number, warnings: Warnings): void {
  if (columns <= MAX_COLUMNS) return
  const advice = 'request fewer by fields, fewer records, or ndjson'
  warnings.add('format', `the table has ${columns} columns; ${advice}`)
}

const LF = 0x0a

/** Counts the columns in a table's header. Column names never contain a separator. */
export function columnsIn(table: Uint8Array, form: TableForm): number {
  const end = table.indexOf(LF)
  if (end < 0) return 0
  const separator = (form === 'csv' ? ',' : '\t').charCodeAt(0)
  let columns = 1
  for (const byte of table.subarray(0, end)) columns += Number(byte === separator)
  return columns
}
