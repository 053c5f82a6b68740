import { type Line, splitLines } from '../../shared/input/lines.ts'
import { findQuoting, type Quoting } from '../../shared/input/quoting.ts'
import { type TableRow, tableRows } from '../../shared/input/table-rows.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import type { Intake } from './intake.ts'
import { nameIn, type TableFormat } from './recognise.ts'
import { RepeatedColumns } from './repeated-columns.ts'
import { RowError, TableError } from './row-error.ts'
import { missingColumns, neededNames, type RowReader, type TableKind } from './table-kind.ts'

export interface TableSource extends TableFormat {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The same content once more, to find out how the table is quoted. */
  readonly again: () => AsyncIterable<Uint8Array>
  readonly kind: TableKind
  readonly fileName: string
  readonly as: DatasetName | undefined
  readonly cases?: TableCases | undefined
}

/**
 * Takes all rows of a table. Tables may follow one another in a file: further headers are counted, and
 * the rows below are read by them.
 * @throws TableError
 * @throws FormatError for a column that occurs twice with different values, or a misplaced quote
 */
export async function readTable(source: TableSource, intake: Intake): Promise<void> {
  const reading = new TableReading(source, intake)
  for await (const rows of rowsOf(source)) for (const row of rows) reading.take(row)
  reading.end()
}

/** Goes through the rows of one file. */
class TableReading {
  readonly #source: TableSource
  readonly #intake: Intake
  #reader: RowReader | undefined
  #repeated: RepeatedColumns | undefined
  #header: readonly string[] = []
  #taken = 0
  /** Any of these is in a header. */
  readonly #firstNeeded: readonly string[]

  constructor(source: TableSource, intake: Intake) {
    this.#source = source
    this.#firstNeeded = neededNames(source.kind)[0] ?? []
    this.#intake = intake
  }

  take(row: TableRow): void {
    const { line, cells } = row
    if (!this.#reader) {
      const names = cells.map(nameIn)
      this.#begin(this.#source.hasRowNames ? ['', ...names] : names, line)
    } else if (this.#isComment(cells)) this.#intake.skipHeader()
    else if (this.#isHeader(cells)) this.#repeatHeader(row)
    else this.#takeCells(row, this.#reader)
  }

  end(): void {
    if (this.#reader) this.#intake.unknownColumns(this.#reader.unused, this.#taken)
  }

  #takeCells({ line, cells }: TableRow, reader: RowReader): void {
    const header = this.#header
    this.#taken++
    this.#intake.row(line, () => {
      if (cells.length !== header.length) {
        throw new RowError(`the row has ${cells.length} columns, the header ${header.length}`)
      }
      this.#repeated?.compare(cells, line)
      reader.take(cells)
    })
  }

  #begin(header: readonly string[], line: number): void {
    this.#header = header
    this.#repeated = RepeatedColumns.find(header, line)
    this.#reader = this.#source.kind.open({ ...this.#source, header, intake: this.#intake })
  }

  #repeatHeader({ line, cells }: TableRow): void {
    this.#intake.skipHeader()
    const next = cells.map(nameIn)
    if (next.join('\t') === this.#header.join('\t')) return
    this.end()
    this.#taken = 0
    try {
      this.#begin(next, line)
    } catch (error) {
      if (!(error instanceof TableError)) throw error
      this.#reader = refusing(error.message)
    }
  }

  /** A header within a table: the same again, or one with all that its kind needs. */
  #isHeader(cells: readonly string[]): boolean {
    const header = this.#header
    if (cells.length === header.length && cells.every((cell, i) => nameIn(cell) === header[i])) {
      return true
    }
    // Most rows of large tables are recognised as no header here.
    if (!this.#firstNeeded.some((name) => cells.includes(name))) return false
    return missingColumns(new Set(cells.map(nameIn)), this.#source.kind).length === 0
  }

  /** A line above the header of a table that follows another one. */
  #isComment(cells: readonly string[]): boolean {
    return cells.length !== this.#header.length && (cells[0]?.startsWith('#') ?? false)
  }
}

/** Reports each row below a header that cannot be read. */
const refusing = (message: string): RowReader => ({
  unused: [],
  take() {
    throw new RowError(message)
  },
})

function rowsOf({ chunks, again, separator, lineEnd }: TableSource) {
  const linesOf = (bytes: AsyncIterable<Uint8Array>) =>
    splitLines(lineEnd === '\r' ? withLineFeeds(bytes) : bytes)
  const quoting = async (): Promise<Quoting> =>
    separator === ',' ? 'doubled' : findQuoting(linesOf(again()))
  return tableRows(withoutComments(linesOf(chunks)), { separator, findQuoting: quoting })
}

const [LF, CR] = [0x0a, 0x0d]

/** Lines that end with a carriage return alone, as lines that end with a line feed. */
async function* withLineFeeds(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield chunk.map((byte) => (byte === CR ? LF : byte))
}

/** Leaves out the comments above the header. */
async function* withoutComments(
  batches: AsyncIterable<readonly Line[]>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let isAbove = true
  for await (const lines of batches) {
    const header = isAbove ? lines.findIndex(({ text }) => !text.startsWith('#')) : 0
    if (header < 0) continue
    isAbove = false
    yield header === 0 ? lines : lines.slice(header)
  }
}
