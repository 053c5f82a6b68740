import type { Line } from './lines.ts'
import type { Quoting } from './quoting.ts'
import { RowCutter, type Separator, type TableRow } from './row-cutter.ts'

export type { TableRow } from './row-cutter.ts'

export interface RowFormat {
  readonly separator: Separator
  /** Called at most once, when the first line with a quote is read. */
  readonly findQuoting: () => Promise<Quoting>
}

/**
 * Splits lines into rows of cells.
 * @throws FormatError if a quote is in an invalid place of a quoted table
 */
export async function* tableRows(
  lines: AsyncIterable<readonly Line[]>,
  { separator, findQuoting }: RowFormat,
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let cutter: RowCutter | undefined
  for await (const batch of lines) {
    const rows: TableRow[] = []
    for (const line of batch) {
      if (!cutter?.isOpen && !line.text.includes('"')) {
        rows.push({ line: line.line, cells: line.text.split(separator) })
        continue
      }
      cutter ??= new RowCutter(separator, await findQuoting())
      const row = cutter.take(line)
      if (row) rows.push(row)
    }
    if (rows.length > 0) yield rows
  }
  cutter?.end()
}
