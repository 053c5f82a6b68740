import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitLines } from '../../shared/input/lines.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import type { Intake } from './intake.ts'
import { headerColumns, type TableFormat } from './recognise.ts'
import { RowError, TableError } from './row-error.ts'
import { missingColumns, type RowReader, type TableKind } from './table-kind.ts'

export interface TableSource extends TableFormat {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly kind: TableKind
  readonly fileName: string
  readonly as: DatasetName | undefined
  readonly cases?: TableCases | undefined
}

/**
 * Takes every row of a table. Tables that were put one behind the other are taken, too: the headers in
 * between are counted, and what follows is read by them.
 * @throws TableError
 */
export async function readTable(source: TableSource, intake: Intake): Promise<void> {
  const { kind, separator, lineEnd } = source
  const chunks = lineEnd === '\r' ? withLineFeeds(source.chunks) : source.chunks
  const rows = separator === ',' ? quotedRows(chunks) : plainRows(chunks)
  const open = (header: readonly string[]) => kind.open({ ...source, header, intake })
  let reader: RowReader | undefined
  let header: readonly string[] = []
  let taken = 0
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      if (!reader) {
        header = cells
        reader = open(header)
        continue
      }
      if (isComment(cells, header)) {
        intake.skipHeader()
        continue
      }
      if (isHeader(cells, header, kind)) {
        intake.skipHeader()
        const next = cells.map(nameIn)
        if (next.join('\t') !== header.join('\t')) {
          intake.unknownColumns(reader.unused, taken)
          taken = 0
          header = next
          reader = reopened(open, header)
        }
        continue
      }
      const { take } = reader
      taken++
      intake.row(line, () => {
        if (cells.length !== header.length) {
          throw new RowError(`the row has ${cells.length} columns, the header ${header.length}`)
        }
        take(cells)
      })
    }
  }
  if (reader) intake.unknownColumns(reader.unused, taken)
}

/** A header within a table: the same again, or one with all that its kind needs. */
function isHeader(cells: readonly string[], header: readonly string[], kind: TableKind): boolean {
  if (cells.length === header.length && cells.every((cell, i) => nameIn(cell) === header[i])) {
    return true
  }
  const first = [kind.needs[0] ?? []].flat()
  // Rows are many: most of them are done with here.
  if (!first.some((name) => cells.includes(name))) return false
  return missingColumns(new Set(cells.map(nameIn)), kind).length === 0
}

/** A line that stood above the header of a table that was put behind another one. */
const isComment = (cells: readonly string[], header: readonly string[]) =>
  cells.length !== header.length && (cells[0]?.startsWith('#') ?? false)

const nameIn = (cell: string) => headerColumns(cell, '\t')[0] ?? ''

/** What reads the rows below a further header; where that cannot be read, each of them is reported. */
function reopened(
  open: (header: readonly string[]) => RowReader,
  header: readonly string[],
): RowReader {
  try {
    return open(header)
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    const { message } = error
    return {
      unused: [],
      take() {
        throw new RowError(message)
      },
    }
  }
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

const [LF, CR] = [0x0a, 0x0d]

/** Lines that end with a carriage return alone, as lines that end with a line feed. */
async function* withLineFeeds(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield chunk.map((byte) => (byte === CR ? LF : byte))
}

/** There is no quoting in tab-separated tables: a cell is what lies between two tabs. */
async function* plainRows(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Row[], void, undefined> {
  let isHeader = true
  for await (const lines of splitLines(chunks)) {
    yield lines.flatMap(({ line, text }) => {
      if (!isHeader) return [{ line, cells: text.split('\t') }]
      if (text.startsWith('#')) return []
      isHeader = false
      return [{ line, cells: headerColumns(text, '\t') }]
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
