import type { TableForm } from '../../shared/formats/table-cells.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { BodyFormat } from '../render/render.ts'

/** Columns of a table that most programs still open. */
const MAX_COLUMNS = 1000

/** Formats of tables that are read as text. */
export const isTextTable = (format: BodyFormat): format is TableForm =>
  format === 'tsv' || format === 'csv'

/** Warns of a table that has more columns than most programs open. */
export function warnOfColumns(columns: number, warnings: Warnings): void {
  if (columns <= MAX_COLUMNS) return
  const advice = 'ask for fewer by fields, for fewer records, or for ndjson'
  warnings.add('format', `the table has ${columns} columns; ${advice}`)
}

const LF = 0x0a

/** Columns of a table as its first line has them; no name of a column holds a separator. */
export function columnsIn(table: Uint8Array, form: TableForm): number {
  const end = table.indexOf(LF)
  if (end < 0) return 0
  const separator = (form === 'csv' ? ',' : '\t').charCodeAt(0)
  let columns = 1
  for (const byte of table.subarray(0, end)) columns += Number(byte === separator)
  return columns
}
