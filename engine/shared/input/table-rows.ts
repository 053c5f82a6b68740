import { FormatError } from '../formats/format-error.ts'
import type { Line } from './lines.ts'
import { cutQuoted, MAX_ROW, type Quoting } from './quoting.ts'

/** A row of a table, which quotes may spread over several lines. */
export interface TableRow {
  /** The line in which it begins; the first one is 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface RowFormat {
  readonly separator: '\t' | ','
  /** Called at most once, at the first line with a quote. */
  readonly findQuoting: () => Promise<Quoting>
}

/**
 * Cuts lines into rows of cells.
 * @throws FormatError for a quote in the wrong place of a quoted table
 */
export async function* tableRows(
  lines: AsyncIterable<readonly Line[]>,
  { separator, findQuoting }: RowFormat,
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let quoting: Quoting | undefined
  let open: OpenRow | undefined
  for await (const batch of lines) {
    const rows: TableRow[] = []
    for (const { line, text } of batch) {
      if (!open && !text.includes('"')) {
        rows.push({ line, cells: text.split(separator) })
        continue
      }
      quoting ??= await findQuoting()
      if (quoting === 'none') {
        rows.push({ line, cells: text.split(separator) })
        continue
      }
      const row: OpenRow = open ? joined(open, { line, text }) : { line, text, last: line }
      const { cells, state } = cutQuoted(row.text, separator, quoting)
      if (state === 'broken') throw misplaced(row.line, cells.length + 1)
      if (state === 'open' && row.text.length > MAX_ROW) throw unclosed(row.line)
      open = state === 'open' ? row : undefined
      if (!open) rows.push({ line: row.line, cells })
    }
    if (rows.length > 0) yield rows
  }
  if (open) throw unclosed(open.line)
}

interface OpenRow extends Line {
  /** The last of its lines. */
  readonly last: number
}

/** Empty lines are not handed on, so that their number tells how many there were. */
const joined = (open: OpenRow, { line, text }: Line): OpenRow => ({
  line: open.line,
  text: `${open.text}${'\n'.repeat(line - open.last)}${text}`,
  last: line,
})

const misplaced = (line: number, column: number) =>
  new FormatError(
    `line ${line}, column ${column} has a quote inside a text; double it, and quote the text`,
  )

const unclosed = (line: number) =>
  new FormatError(`line ${line} opens a quote that is never closed; close it or leave it out`)
