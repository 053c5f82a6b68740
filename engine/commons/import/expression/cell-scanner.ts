import type { Separator } from '../../../shared/input/row-cutter.ts'
import { FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'
import { MOST_FIXED } from './decimal.ts'

const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const POINT = 0x2e
/** Maximum number of digits before the point. */
const MAX_WHOLE_DIGITS = 6
/** Factors that turn digits into ten-thousandths, by the number of decimals. */
const SCALES = [FIXED_SCALE, 1000, 100, 10, 1]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Format by which lines are split into cells. */
interface ScanFormat {
  /** Number of columns. Further cells of a line are only counted. */
  readonly columns: number
  readonly separator: Separator
}

/**
 * Iterates over the lines of a table in memory and locates their cells without copies. A cell is quoted if it
 * starts and ends with a quote and all quotes between are doubled or escaped by a backslash. Any other quote is
 * text. Cells cannot contain line breaks.
 */
export class CellScanner {
  readonly bytes: Buffer
  /** Number of cells in the current line, including cells after the last column of the table. */
  cells = 0
  /** Number of the current line. */
  line: number
  readonly #separator: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Number of cells before the first one whose quote is not closed in the line, or -1. */
  #openCell = -1
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

  /**
   * Returns whether a quoted cell of the line that `next` found seems to continue in the next line. If the line
   * is complete, an unclosed quote in a cell other than the last is just text.
   */
  get continues(): boolean {
    const isWhole = this.cells === this.#ends.length
    return this.#openCell >= 0 && (!isWhole || this.#openCell === this.cells - 1)
  }

  start(cell: number): number {
    return this.#starts[cell]!
  }

  end(cell: number): number {
    return this.#ends[cell]!
  }

  /** Returns the text of a cell without surrounding quotes and spaces. */
  text(cell: number): string {
    const start = this.start(cell)
    const text = this.bytes.toString('utf8', start, this.end(cell))
    if (this.bytes[start - 1] !== QUOTE || !text.includes('"')) return text
    return text.replaceAll(text.includes('""') ? '""' : '\\"', '"')
  }

  /** Returns the texts of all cells of the line, up to the table's columns. */
  texts(): readonly string[] {
    const count = Math.min(this.cells, this.#ends.length)
    return Array.from({ length: count }, (_, cell) => this.text(cell))
  }

  /** Returns whether a cell starts with an ASCII text. */
  startsWith(cell: number, text: string): boolean {
    const start = this.start(cell)
    for (let i = 0; i < text.length; i++) {
      if (this.bytes[start + i] !== text.charCodeAt(i)) return false
    }
    return true
  }

  /** Moves to the next line that is not empty. Returns false at the end. */
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

  /**
   * Moves to the next line if the line is plain: as many cells as columns, no quotes or surrounding blanks, and
   * values with at most four decimals. Parses values while looking for the ends of cells, which takes half the
   * time.
   * @param places index in `values` of each cell, or -1 for cells to skip
   * @param values receives the values in ten-thousandths
   * @returns false for any other line, after changing nothing but `values`
   */
  nextPlain(places: Int32Array, values: Uint32Array): boolean {
    const { bytes } = this
    const separator = this.#separator
    const last = places.length - 1
    let at = this.#at
    for (let cell = 0; cell <= last; cell++, at++) {
      const place = places[cell]!
      if (place < 0) {
        const end = this.#plainEnd(at)
        if (end < 0) return false
        this.#starts[cell] = at
        this.#ends[cell] = end
        at = end
      } else {
        const start = at
        let value = 0
        let digit = bytes[at]! - ZERO
        for (; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO) value = value * 10 + digit
        if (at === start || at > start + MAX_WHOLE_DIGITS) return false
        let decimals = 0
        if (bytes[at] === POINT) {
          digit = bytes[++at]! - ZERO
          for (; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO) {
            value = value * 10 + digit
            decimals++
          }
        }
        const scale = SCALES[decimals]
        if (scale === undefined) return false
        value *= scale
        if (value > MOST_FIXED) return false
        values[place] = value
      }
      if (cell < last) {
        if (bytes[at] !== separator) return false
      } else {
        if (bytes[at] === CR) at++
        if (bytes[at] !== LF) return false
      }
    }
    this.#at = at
    this.line++
    this.cells = places.length
    return true
  }

  /** Returns the end of a cell that has no quotes or surrounding blanks. Returns -1 for any other cell. */
  #plainEnd(start: number): number {
    const { bytes } = this
    const separator = this.#separator
    const first = bytes[start]
    if (first === QUOTE || first === BLANK) return -1
    let at = start
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== LF) at++
    const before = bytes[at - 1]
    return at > start && (before === BLANK || before === CR) ? -1 : at
  }

  #scan(from: number): number {
    const { bytes } = this
    const separator = this.#separator
    const highest = Math.max(separator, LF)
    let cells = 0
    let start = from
    this.#openCell = -1
    let close = this.#closingQuote(from, cells)
    let at = Math.max(from, close)
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte > highest || (byte !== separator && byte !== LF)) continue
      this.#place(cells++, start, at, close > 0)
      if (byte === LF) break
      start = at + 1
      close = bytes[start] === QUOTE ? this.#closingQuote(start, cells) : 0
      if (close > 0) at = close
    }
    if (at === bytes.length) this.#place(cells++, start, at, close > 0)
    this.cells = cells
    return at
  }

  /** Returns the offset of the quote that closes a cell. Returns 0 if the cell is not quoted. */
  #closingQuote(start: number, cell: number): number {
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
    if (this.#openCell < 0) this.#openCell = cell
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
