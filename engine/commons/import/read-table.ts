import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitLines } from '../../shared/input/lines.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import type { Intake } from './intake.ts'
import { headerColumns } from './recognise.ts'
import { RowFault } from './row-fault.ts'
import type { RowReader, TableKind } from './table-kind.ts'

export interface TableSource {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly kind: TableKind
  readonly separator: '\t' | ','
  readonly fileName: string
  readonly as: DatasetName | undefined
  readonly cases?: TableCases | undefined
}

/**
 * Takes every row of a table.
 * @throws TableFault
 */
export async function readTable(source: TableSource, intake: Intake): Promise<void> {
  const rows = source.separator === ',' ? quotedRows(source.chunks) : plainRows(source.chunks)
  let reader: RowReader | undefined
  let width = 0
  let taken = 0
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      if (!reader) {
        const header = cells
        width = header.length
        reader = source.kind.open({ ...source, header, intake })
        continue
      }
      const take = reader.take
      taken++
      intake.row(line, () => {
        if (cells.length !== width) {
          throw new RowFault(`the row has ${cells.length} columns, the header ${width}`)
        }
        take(cells)
      })
    }
  }
  if (reader) intake.unknownColumns(reader.unused, taken)
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** There is no quoting in tab-separated tables: a cell is what lies between two tabs. */
async function* plainRows(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Row[], void, undefined> {
  let isHeader = true
  for await (const lines of splitLines(chunks)) {
    yield lines
      .filter(({ text }) => !(isHeader && text.startsWith('#')))
      .map(({ line, text }) => {
        const cells = isHeader ? headerColumns(text, '\t') : text.split('\t')
        isHeader = false
        return { line, cells }
      })
  }
}

async function* quotedRows(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Row[], void, undefined> {
  const parser = Readable.from(chunks).pipe(
    parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true }),
  )
  try {
    for await (const { record, info } of parser) yield [{ line: info.lines, cells: record }]
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && String(cause.code).startsWith('CSV_')))
      throw cause
    throw new FormatError(cause.message, { cause })
  }
}
