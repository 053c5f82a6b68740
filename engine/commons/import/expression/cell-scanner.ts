import type { Separator } from '../../../shared/input/row-cutter.ts'

const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** How the lines of a table are cut into cells. */
export interface ScanFormat {
  /** Cells of a line; further ones are counted alone. */
  readonly columns: number
  readonly separator: Separator
}

/**
 * Goes through the lines of a table in memory and finds where their cells lie; nothing is copied. A cell
 * is quoted if it begins with a quote and ends with one, and the quotes between them are doubled or have a
 * backslash before them; any other quote is text. No cell goes on in the next line.
 */
export class CellScanner {
  readonly bytes: Buffer
  /** Of the line that `next` came to: how many cells it has, also beyond the table's columns. */
  cells = 0
  /** The number of that line. */
  line: number
  readonly #separator: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  #at = 0

  /** @param firstLine number of the first line of the bytes */
  constructor(bytes: Buffer, { columns, separator }: ScanFormat, firstLine: number) {
    this.bytes = bytes
    this.line = firstLine - 1
    this.#separator = separator.charCodeAt(0)
    this.#starts = new Int32Array(columns)
    this.#ends = new Int32Array(columns)
    if (firstLine === 1 && BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte)) this.#at = 3
  }

  start(cell: number): number {
    return this.#starts[cell]!
  }

  end(cell: number): number {
    return this.#ends[cell]!
  }

  /** The text of a cell, without quotes and blanks around it. */
  text(cell: number): string {
    const start = this.start(cell)
    const text = this.bytes.toString('utf8', start, this.end(cell))
    if (this.bytes[start - 1] !== QUOTE || !text.includes('"')) return text
    return text.replaceAll(text.includes('""') ? '""' : '\\"', '"')
  }

  /** The texts of all cells of the line, up to the table's columns. */
  texts(): readonly string[] {
    const count = Math.min(this.cells, this.#ends.length)
    return Array.from({ length: count }, (_, cell) => this.text(cell))
  }

  /** Whether a cell begins with some characters of one byte each. */
  startsWith(cell: number, text: string): boolean {
    const start = this.start(cell)
    for (let i = 0; i < text.length; i++) {
      if (this.bytes[start + i] !== text.charCodeAt(i)) return false
    }
    return true
  }

  /** Comes to the next line that is not empty; false at the end. */
  next(): boolean {
    const { bytes } = this
    while (this.#at < bytes.length) {
      const start = this.#at
      const end = this.#scan(start)
      this.#at = end + 1
      this.line++
      if (end > start && !(end === start + 1 && bytes[start] === CR)) return true
    }
    return false
  }

  #scan(from: number): number {
    const { bytes } = this
    const separator = this.#separator
    const highest = Math.max(separator, LF)
    let cells = 0
    let start = from
    let close = this.#closingQuote(from)
    let at = Math.max(from, close)
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte > highest || (byte !== separator && byte !== LF)) continue
      this.#place(cells++, start, at, close > 0)
      if (byte === LF) break
      start = at + 1
      close = bytes[start] === QUOTE ? this.#closingQuote(start) : 0
      if (close > 0) at = close
    }
    if (at === bytes.length) this.#place(cells++, start, at, close > 0)
    this.cells = cells
    return at
  }

  /** Where the quote is that ends a cell; 0 if it is not quoted. */
  #closingQuote(start: number): number {
    const { bytes } = this
    if (bytes[start] !== QUOTE) return 0
    for (let at = start + 1; at < bytes.length && bytes[at] !== LF; at++) {
      if (bytes[at] !== QUOTE) continue
      const next = bytes[at + 1]
      if (next === undefined || next === this.#separator || next === LF) return at
      if (next === CR && (bytes[at + 2] ?? LF) === LF) return at
      if (next === QUOTE) at++
      else if (bytes[at - 1] !== BACKSLASH) return 0
    }
    return 0
  }

  #place(cell: number, start: number, end: number, isQuoted: boolean): void {
    if (cell >= this.#ends.length) return
    const { bytes } = this
    let first = start
    let last = end > start && bytes[end - 1] === CR ? end - 1 : end
    if (isQuoted) {
      first++
      last--
    }
    while (first < last && bytes[first] === BLANK) first++
    while (last > first && bytes[last - 1] === BLANK) last--
    this.#starts[cell] = first
    this.#ends[cell] = last
  }
}
