import { RepeatedColumns } from '../../shared/input/repeated-columns.ts'
import type { TableRow } from '../../shared/input/table-rows.ts'
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

/** A header, and the line that it is in. */
export interface Header {
  readonly names: readonly string[]
  readonly line: number
}

/** What is read, whichever of its rows are. */
export interface ReadTable extends Pick<Table, 'fileName' | 'as' | 'cases'> {
  readonly kind: TableKind
  readonly hasRowNames: boolean
}

/**
 * Goes through rows of a table. Tables may follow one another in a file: further headers are counted, and
 * the rows below are read by them.
 */
export class TableReading {
  readonly #table: ReadTable
  readonly #intake: Intake
  #reader: RowReader | undefined
  #repeated: RepeatedColumns | undefined
  #header: Header = { names: [], line: 0 }
  #taken = 0
  readonly #isPart: boolean
  /** Tables of other columns have followed. */
  #isMixed = false
  /** Any of these is in a header. */
  readonly #firstNeeded: readonly string[]

  /**
   * @param header of rows that are a part of the table, below it
   * @throws TableError
   */
  constructor(table: ReadTable, intake: Intake, header?: Header) {
    this.#table = table
    this.#firstNeeded = neededNames(table.kind)[0] ?? []
    this.#intake = intake
    this.#isPart = header !== undefined
    if (header) this.#begin(header)
  }

  /** Whether there was a header. */
  get hasBegun(): boolean {
    return this.#reader !== undefined
  }

  /** The only header so far; `undefined` when there was none, or another one below it. */
  get onlyHeader(): Header | undefined {
    return this.#reader && !this.#isMixed ? this.#header : undefined
  }

  /** Rows below the header. */
  get taken(): number {
    return this.#taken
  }

  /** Rows below the header that were taken elsewhere. */
  addTaken(rows: number): void {
    this.#taken += rows
  }

  /**
   * Takes a row; not one of a part that is a header of other columns, by which all that follows has to
   * be read.
   * @throws TableError
   * @throws FormatError for a column that occurs twice with different values
   */
  take(row: TableRow): 'taken' | 'other header' {
    const { line, cells } = row
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
      this.#repeated?.compare(cells, line)
      reader.take(cells)
    })
  }

  #begin(header: Header): void {
    this.#header = header
    this.#repeated = RepeatedColumns.find(header.names, header.line)
    const { kind, ...table } = this.#table
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

  /** A header within a table: the same again, or one with all that its kind needs. */
  #isHeader(cells: readonly string[]): boolean {
    const { names } = this.#header
    if (cells.length === names.length && cells.every((cell, i) => nameIn(cell) === names[i])) {
      return true
    }
    // Most rows of large tables are recognised as no header here.
    if (!this.#firstNeeded.some((name) => cells.includes(name))) return false
    return missingColumns(new Set(cells.map(nameIn)), this.#table.kind).length === 0
  }

  /** A line above the header of a table that follows another one. */
  #isComment(cells: readonly string[]): boolean {
    return cells.length !== this.#header.names.length && (cells[0]?.startsWith('#') ?? false)
  }
}

/** Reports each row below a header that cannot be read. */
const refusing = (message: string): RowReader => ({
  unused: [],
  take() {
    throw new RowError(message)
  },
})
