import { FormatError } from '../formats/format-error.ts'
import type { Line } from './lines.ts'
import { MAX_ROW, QuotedRow, type Quoting } from './quoting.ts'

/** A table row. A quoted cell may span several lines. */
export interface TableRow {
  /** Number of its first line, starting at 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export type Separator = '\t' | ','

interface OpenRow {
  readonly line: number
  /** Number of its last line so far. */
  readonly last: number
  readonly row: QuotedRow
}

/** Splits lines into rows. With quoting, a row may span several lines. */
export class RowCutter {
  readonly #separator: string
  readonly #quoting: Quoting
  #open: OpenRow | undefined

  constructor(separator: string, quoting: Quoting) {
    this.#separator = separator
    this.#quoting = quoting
  }

  /** Whether the last row continues in the next line. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /**
   * Returns the row that ends with this line, or `undefined` if it continues.
   * @throws FormatError if a quote is in an invalid place
   */
  take({ line, text }: Line): TableRow | undefined {
    if (this.#quoting === 'none') return { line, cells: text.split(this.#separator) }
    const first = this.#open?.line ?? line
    const row = this.#open?.row ?? new QuotedRow(this.#separator, this.#quoting)
    // Empty lines are not passed on, only counted.
    const { cells, state } = row.take(text, line - (this.#open?.last ?? line - 1))
    if (state === 'broken') throw misplaced(first, cells.length + 1)
    if (state === 'open' && row.length > MAX_ROW) throw unclosed(first)
    this.#open = state === 'open' ? { line: first, last: line, row } : undefined
    return this.#open ? undefined : { line: first, cells }
  }

  /**
   * Checks that the last row is complete.
   * @throws FormatError if it is not
   */
  end(): void {
    if (this.#open) throw unclosed(this.#open.line)
  }
}

const misplaced = (line: number, column: number) =>
  new FormatError(
    `line ${line}, column ${column} has a quote inside a text; double it, and quote the text`,
  )

const unclosed = (line: number) =>
  new FormatError(`line ${line} opens a quote that is never closed; close it or leave it out`)
