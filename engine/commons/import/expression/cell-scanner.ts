const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22

/** Goes through the lines of a table in memory and finds where their cells lie; nothing is copied. */
export class CellScanner {
  readonly bytes: Buffer
  /** Of the line that `next` came to: how many cells it has, also beyond the table's columns. */
  cells = 0
  /** The number of that line. */
  line: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  #at = 0

  /** @param firstLine number of the first line of the bytes */
  constructor(bytes: Buffer, columns: number, firstLine: number) {
    this.bytes = bytes
    this.line = firstLine - 1
    this.#starts = new Int32Array(columns)
    this.#ends = new Int32Array(columns)
  }

  start(cell: number): number {
    return this.#starts[cell]!
  }

  end(cell: number): number {
    return this.#ends[cell]!
  }

  text(cell: number): string {
    return this.bytes.toString('utf8', this.start(cell), this.end(cell))
  }

  /** Whether the line begins with some characters of one byte each. */
  startsWith(text: string): boolean {
    const start = this.start(0)
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
    const most = this.#ends.length
    let cells = 0
    let start = from
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte > TAB + 1) continue
      if (byte === TAB || byte === LF) {
        if (cells < most) this.#place(cells, start, at)
        cells++
        start = at + 1
        if (byte === LF) break
      }
    }
    if (at === bytes.length && cells < most) this.#place(cells++, start, at)
    this.cells = cells
    return at
  }

  /** Without a carriage return at the end and quotation marks around it. */
  #place(cell: number, start: number, end: number): void {
    const { bytes } = this
    const isQuoted = (last: number) =>
      last > start && bytes[start] === QUOTE && bytes[last] === QUOTE
    const last = bytes[end - 1] === CR && end > start ? end - 1 : end
    const inset = isQuoted(last - 1) ? 1 : 0
    this.#starts[cell] = start + inset
    this.#ends[cell] = last - inset
  }
}
