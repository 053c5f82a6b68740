import type { Line } from './lines.ts'
import { quotingOf } from './quoting.ts'
import { RepeatedColumns } from './repeated-columns.ts'
import { RowCutter, type Separator, type TableRow } from './row-cutter.ts'

/** Tabs where the first line has one, else commas. */
export const separatorOf = (text: string): Separator => (/^[^\r\n]*\t/.test(text) ? '\t' : ',')

/**
 * Cuts a text that is held in memory into rows, by the rules of larger tables: cells between commas may be quoted,
 * those between tabs are if the table as a whole shows it. Lines end with LF or CRLF, or with CR if there is no LF; blank
 * ones are left out.
 * @throws FormatError for a quote in the wrong place of a quoted table
 */
export function* textRows(text: string, separator: Separator): Generator<TableRow> {
  const bare = text.replace(/^\ufeff/, '')
  const found = bare.includes('"') ? quotingOf(textLines(bare), separator) : 'none'
  const quoting = found === 'none' && separator === ',' ? 'doubled' : found
  const cutter = new RowCutter(separator, quoting)
  for (const line of textLines(bare)) {
    const row = cutter.take(line)
    if (row) yield row
  }
  cutter.end()
}

/** A table below a line of names. */
export interface HeadedTable {
  readonly header: readonly string[]
  /** The line of the names; the first one is 1. */
  readonly line: number
  readonly rows: readonly TableRow[]
}

/**
 * A table with a line of names above, out of its text.
 * @throws FormatError as textRows, and for a column that occurs twice with different cells
 */
export function headedTable(text: string, separator = separatorOf(text)): HeadedTable {
  const [head, ...rows] = textRows(text, separator)
  const header = (head?.cells ?? []).map((name) => name.trim())
  const line = head?.line ?? 1
  const repeated = RepeatedColumns.find(header, line)
  if (repeated) for (const { line, cells } of rows) repeated.compare(cells, line)
  return { header, line, rows }
}

/** The lines of a text that are not blank. Cut one by one, since `split()` makes millions of texts of nothing but line breaks. */
export function* textLines(text: string): Generator<Line> {
  const lineEnd = text.includes('\n') ? '\n' : '\r'
  let line = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(lineEnd, start)
    const end = found < 0 ? text.length : found
    line++
    const content = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
    if (content.trim() !== '') yield { line, text: content }
    start = end + 1
  }
}
