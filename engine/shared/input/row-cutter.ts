import { FormatError } from '../formats/format-error.ts'
import type { Line } from './lines.ts'
import { cutQuoted, MAX_ROW, type Quoting } from './quoting.ts'

/** A table row. A quoted cell may span several lines. */
export interface TableRow {
  /** Number of its first line, starting at 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export type Separator = '\t' | ','

interface OpenRow extends Line {
  /** Number of its last line so far. */
  readonly last: number
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
    const row = this.#open ? joined(this.#open, { line, text }) : { line, text, last: line }
    const { cells, state } = cutQuoted(row.text, this.#separator, this.#quoting)
    if (state === 'broken') throw misplaced(row.line, cells.length + 1)
    if (state === 'open' && row.text.length > MAX_ROW) throw unclosed(row.line)
    this.#open = state === 'open' ? row : undefined
    return this.#open ? undefined : { line: row.line, cells }
  }

  /**
   * Checks that the last row is complete.
   * @throws FormatError if it is not
   */
  end(): void {
    if (this.#open) throw unclosed(this.#open.line)
  }
}

/** Restores the empty lines within a cell from the line numbers, because splitLines skips them. */
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
