import { isMisread } from '../../shared/input/doubtful-text.ts'
import { RepeatedColumns } from '../../shared/input/repeated-columns.ts'
import type { TableRow } from '../../shared/input/table-rows.ts'
import { visible } from '../../shared/input/visible.ts'
import type { Intake } from './intake.ts'
import { nameIn } from './recognise.ts'
import { RowError, TableError } from './row-error.ts'
import {
  missingColumns,
  neededNames,
  type RowReader,
  type Table,
  type TableKind,
} from './table-kind.ts'
import { isTotal } from './total-row.ts'

const MADE_VISIBLE = 'written without invisible characters'
const MISREAD = 'with letters that another program has read in a wrong encoding'
/** A header and its line number. */
export interface Header {
  readonly names: readonly string[]
  readonly line: number
}

/** The table to read, apart from its rows. */
export interface ReadTable extends Pick<Table, 'fileName' | 'as' | 'cases' | 'patients'> {
  readonly kind: TableKind
  readonly hasRowNames: boolean
}

/**
 * Reads rows of a table into an intake. A file may contain several tables. Each further header is counted and
 * applies to the rows below it.
 */
export class TableReading {
  readonly #table: ReadTable
  readonly #intake: Intake
  #reader: RowReader | undefined
  #repeated: RepeatedColumns | undefined
  #header: Header = { names: [], line: 0 }
  #taken = 0
  readonly #isPart: boolean
  /** Whether a header with other columns has been read. */
  #isMixed = false
  /** Possible names of the first required column. Every header has one of them. */
  readonly #firstNeeded: readonly string[]

  /**
   * @param header header of the table if the rows are a piece below it
   * @throws TableError if the table cannot be read
   */
  constructor(table: ReadTable, intake: Intake, header?: Header) {
    this.#table = table
    this.#firstNeeded = neededNames(table.kind)[0] ?? []
    this.#intake = intake
    this.#isPart = header !== undefined
    if (header) this.#begin(header)
  }

  /** Whether the next rows have ASCII characters only, of which all are visible. */
  isPlain = false

  /** Whether a header has been read. */
  get hasBegun(): boolean {
    return this.#reader !== undefined
  }

  /** Returns the header if there was only one so far. Undefined otherwise. */
  get onlyHeader(): Header | undefined {
    return this.#reader && !this.#isMixed ? this.#header : undefined
  }

  /** Number of rows below the header. */
  get taken(): number {
    return this.#taken
  }

  /** Adds the number of rows below the header that were read elsewhere. */
  addTaken(rows: number): void {
    this.#taken += rows
  }

  /**
   * Reads a row. In a piece, a header with other columns is not read: 'other header' is returned, because the
   * header also applies to the following pieces.
   * @throws TableError if the table below the first header cannot be read
   * @throws FormatError for a column that occurs twice with different values
   */
  take(row: TableRow): 'taken' | 'other header' {
    const { line, cells } = row
    // Spreadsheets write separators for rows that have been emptied.
    if (cells.every((cell) => cell.trim() === '')) return 'taken'
    if (!this.#reader) {
      const names = cells.map(nameIn)
      this.#begin({ names: this.#table.hasRowNames ? ['', ...names] : names, line })
    } else if (this.#isComment(cells)) this.#intake.skipHeader()
    else if (this.#isHeader(cells)) return this.#repeatHeader(row)
    else this.#takeCells(row, this.#reader)
    return 'taken'
  }

  end(): void {
    if (this.#reader) this.#intake.unknownColumns(this.#reader.unused, this.#taken)
  }

  #takeCells({ line, cells }: TableRow, reader: RowReader): void {
    const { names } = this.#header
    this.#taken++
    this.#intake.row(line, () => {
      if (cells.length !== names.length) {
        throw new RowError(`the row has ${cells.length} columns, the header ${names.length}`)
      }
      const shown = this.isPlain ? cells : this.#visible(cells)
      const first = shown.find((cell) => cell !== '') ?? ''
      if (isTotal(first)) throw new RowError(`the row is the "${first}" of others, and no record`)
      this.#repeated?.compare(shown, line)
      reader.take(shown)
    })
  }

  #visible(cells: readonly string[]): readonly string[] {
    return cells.map((cell, i) => {
      const shown = visible(cell)
      const isDamaged = isMisread(cell)
      if (shown !== cell || isDamaged) {
        const tally = this.#intake.tallyOf(this.#header.names[i] ?? '')
        if (shown !== cell) tally.addChange(MADE_VISIBLE)
        if (isDamaged) tally.addChange(MISREAD)
      }
      return shown
    })
  }

  #begin(header: Header): void {
    this.#header = header
    this.#intake.atHeader(header.line)
    const { kind, ...table } = this.#table
    this.#repeated = RepeatedColumns.find(header.names, header.line, isColumnOf(kind))
    this.#reader = kind.open({ ...table, header: header.names, intake: this.#intake })
  }

  #repeatHeader({ line, cells }: TableRow): 'taken' | 'other header' {
    const next = cells.map(nameIn)
    const isSame = next.join('\t') === this.#header.names.join('\t')
    if (this.#isPart && !isSame) return 'other header'
    this.#intake.skipHeader()
    if (isSame) return 'taken'
    this.end()
    this.#taken = 0
    this.#isMixed = true
    try {
      this.#begin({ names: next, line })
    } catch (error) {
      if (!(error instanceof TableError)) throw error
      this.#reader = refusing(error.message)
    }
    return 'taken'
  }

  /** Returns whether a row is a header: the same header as before, or one with all required columns. */
  #isHeader(cells: readonly string[]): boolean {
    const { names } = this.#header
    if (cells.length === names.length && cells.every((cell, i) => nameIn(cell) === names[i])) {
      return true
    }
    // This test quickly rejects most rows of large tables.
    if (!this.#firstNeeded.some((name) => cells.includes(name))) return false
    return missingColumns(new Set(cells.map(nameIn)), this.#table.kind).length === 0
  }

  /** Returns whether a row is a comment line above the header of a further table. */
  #isComment(cells: readonly string[]): boolean {
    return cells.length !== this.#header.names.length && (cells[0]?.startsWith('#') ?? false)
  }
}

/**
 * Returns a test whether a column belongs to a kind of table. Of tables that are about samples, only the declared
 * columns do, since those of a matrix are names of samples, which may end with a number.
 */
function isColumnOf({ columns, needsCases }: TableKind): (name: string) => boolean {
  const known = new Set(Object.values(columns).flatMap(({ names }) => names))
  return (name) => !needsCases || known.has(name)
}

/** Creates a reader that rejects every row below a header that cannot be read. */
const refusing = (message: string): RowReader => ({
  unused: [],
  take() {
    throw new RowError(message)
  },
})
