import type { Line } from './lines.ts'
import { quotingOf } from './quoting.ts'
import { RepeatedColumns } from './repeated-columns.ts'
import { RowCutter, type Separator, type TableRow } from './row-cutter.ts'

/** Returns tab if the first line contains one, otherwise comma. */
export const separatorOf = (text: string): Separator => (/^[^\r\n]*\t/.test(text) ? '\t' : ',')

/**
 * Splits a text in memory into rows by the same rules as for large tables. Comma-separated cells may always be
 * quoted; tab-separated cells only if the whole table is quoted. Lines end with LF or CRLF, or with CR if there
 * is no LF; blank lines are skipped.
 * @throws FormatError if a quote is in an invalid place of a quoted table
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

/** A table with a header. */
export interface HeadedTable {
  readonly header: readonly string[]
  /** Line number of the header, starting at 1. */
  readonly line: number
  readonly rows: readonly TableRow[]
}

/**
 * Parses a table with a header.
 * @throws FormatError as textRows, and for a repeated column with different cells
 */
export function headedTable(text: string, separator = separatorOf(text)): HeadedTable {
  const [head, ...rows] = textRows(text, separator)
  const header = (head?.cells ?? []).map((name) => name.trim())
  const line = head?.line ?? 1
  const repeated = RepeatedColumns.find(header, line)
  if (repeated) for (const { line, cells } of rows) repeated.compare(cells, line)
  return { header, line, rows }
}

/** A table whose text is split into rows each time it is read, so that rows take no memory besides the text. */
interface LongTable extends Omit<HeadedTable, 'rows'> {
  readonly rowCount: number
  readonly rows: () => Iterable<TableRow>
}

/**
 * Parses a table with a header out of its text, which is read once before the first row is given.
 * @throws FormatError as headedTable
 */
export function longTable(text: string): LongTable {
  const separator = separatorOf(text)
  const cut = () => {
    const rows = textRows(text, separator)
    const first = rows.next()
    return { head: first.done ? undefined : first.value, rows }
  }
  const { head, rows } = cut()
  const header = (head?.cells ?? []).map((name) => name.trim())
  const line = head?.line ?? 1
  const repeated = RepeatedColumns.find(header, line)
  let rowCount = 0
  for (const { line, cells } of rows) {
    repeated?.compare(cells, line)
    rowCount++
  }
  return { header, line, rowCount, rows: () => cut().rows }
}

/** Yields the non-blank lines of a text. `split()` would create millions of texts for mere line breaks. */
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
