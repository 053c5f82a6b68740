import { EngineError } from '../../shared/errors.ts'
import { quotingOf } from '../../shared/input/quoting.ts'
import { textLines } from '../../shared/input/text-table.ts'
import { MAX_VALUES } from './submitted.ts'

/** A table row. A quoted cell may span several lines. */
export interface TableRow {
  /** Number of its first line, starting at 1. */
  readonly line: number
  readonly cells: readonly string[]
}

const QUOTE = '"'
/** Maximum number of cells per row. Empty cells beyond the header are ignored, but millions take seconds. */
const MAX_CELLS = 10_000

/**
 * Splits a table into rows as Python's csv module does (submission.md 8). A cell that starts with a quote may
 * contain separators and line breaks, and doubled quotes stand for one. Text between its closing quote and the
 * next separator belongs to the cell if it is on the same line. If the whole table escapes quotes with a
 * backslash, as R does, it is read accordingly. Lines end with LF, CRLF or CR. Cells are trimmed and empty rows
 * skipped.
 * @throws EngineError `bad_input` for an unclosed quote, `too_many` over a limit
 */
export function* tableRows(text: string, separator: string): Generator<TableRow> {
  const isEscaped = text.includes('\\"') && quotingOf(textLines(text), separator) === 'escaped'
  const scanner = new CellScanner(text, separator, isEscaped)
  let count = 0
  while (!scanner.isAtEnd) {
    const { line } = scanner
    const cells: string[] = []
    do {
      if (cells.length === MAX_CELLS) {
        throw new EngineError('too_many', `line ${line} has more than ${MAX_CELLS} cells`)
      }
      cells.push(scanner.cell(cells.length + 1).trim())
    } while (scanner.takesSeparator())
    count += cells.length
    if (count > MAX_VALUES) {
      throw new EngineError('too_many', `the table has more than ${MAX_VALUES} cells`)
    }
    scanner.takeLineEnd()
    if (cells.some((cell) => cell !== '')) yield { line, cells }
  }
}

class CellScanner {
  readonly #text: string
  readonly #separator: string
  /** Whether quotes in quoted cells are escaped with a backslash. */
  readonly #isEscaped: boolean
  readonly #ends: RegExp
  #at = 0
  #line = 1

  constructor(text: string, separator: string, isEscaped: boolean) {
    this.#text = text
    this.#separator = separator
    this.#isEscaped = isEscaped
    this.#ends = new RegExp(`[${separator}\r\n]`, 'g')
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get line(): number {
    return this.#line
  }

  /** @param column number of the cell, starting at 1 */
  cell(column: number): string {
    const { line } = this
    const quoted = this.#text[this.#at] === QUOTE ? this.#quoted(column) : ''
    this.#ends.lastIndex = this.#at
    const end = this.#ends.exec(this.#text)?.index ?? this.#text.length
    const rest = this.#text.slice(this.#at, end)
    this.#at = end
    if (this.#line > line && rest.trim() !== '') {
      const message = `the quote that begins a cell in line ${line}, column ${column} ends within a text of line ${this.#line}; double quotes that belong to a text, and put quotes around it`
      throw new EngineError('bad_input', message)
    }
    return quoted + rest
  }

  takesSeparator(): boolean {
    if (this.#text[this.#at] !== this.#separator) return false
    this.#at++
    return true
  }

  takeLineEnd(): void {
    if (this.isAtEnd) return
    this.#at += this.#text.startsWith('\r\n', this.#at) ? 2 : 1
    this.#line++
  }

  get #isAtCellEnd(): boolean {
    const next = this.#text[this.#at]
    return next === undefined || next === this.#separator || next === '\r' || next === '\n'
  }

  #quoted(column: number): string {
    const { line } = this
    let content = ''
    for (let from = this.#at + 1; ; ) {
      const end = this.#text.indexOf(QUOTE, from)
      if (end === -1) {
        const message = `the quote that begins a cell in line ${line}, column ${column} is not closed; close or drop it`
        throw new EngineError('bad_input', message)
      }
      this.#at = end + 1
      if (this.#isEscaped && this.#text[end - 1] === '\\' && !this.#isAtCellEnd) {
        content += this.#text.slice(from, end - 1) + QUOTE
        from = end + 1
        continue
      }
      content += this.#text.slice(from, end)
      if (this.#isEscaped || this.#text[this.#at] !== QUOTE) break
      content += QUOTE
      from = this.#at + 1
    }
    this.#line += content.match(/\r\n|\r|\n/g)?.length ?? 0
    return content
  }
}
