import { FormatError } from '../formats/format-error.ts'
import type { Line } from './lines.ts'
import { cutQuoted, MAX_ROW, type Quoting } from './quoting.ts'

/** A row of a table, which quotes may spread over several lines. */
export interface TableRow {
  /** The line in which it begins; the first one is 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export type Separator = '\t' | ','

interface OpenRow extends Line {
  /** The last of its lines. */
  readonly last: number
}

/** Cuts lines into rows, of which quotes may spread one over several lines. */
export class RowCutter {
  readonly #separator: string
  readonly #quoting: Quoting
  #open: OpenRow | undefined

  constructor(separator: string, quoting: Quoting) {
    this.#separator = separator
    this.#quoting = quoting
  }

  /** Whether the last row goes on in the next line. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /**
   * The row that ends with a line; `undefined` when it goes on.
   * @throws FormatError for a quote in the wrong place
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

  /** @throws FormatError when the last row is not at its end */
  end(): void {
    if (this.#open) throw unclosed(this.#open.line)
  }
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
