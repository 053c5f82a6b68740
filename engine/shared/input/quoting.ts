import type { Line } from './lines.ts'

/**
 * Quoting style of a table, for cells that contain separators, line breaks or quotes. A quote in a quoted
 * cell is doubled (RFC 4180) or escaped with a backslash (R's `write.table`).
 */
export type Quoting = 'none' | 'doubled' | 'escaped'

/** Result of splitting a row. */
interface Cut {
  readonly cells: readonly string[]
  /** `open` if a quoted cell continues in the next line, `broken` if a quote is in an invalid place. */
  readonly state: 'whole' | 'open' | 'broken'
  /** Whether the quotes of some cell are necessary. */
  readonly needsQuotes: boolean
}

const QUOTE = '"'

/**
 * Splits a row of a quoted table into cells, line by line, because a quoted cell may span several lines. Each
 * line is scanned when it arrives, and once more when its cell is closed, however many lines the row has.
 */
export class QuotedRow {
  readonly #separator: string
  readonly #quoting: Exclude<Quoting, 'none'>
  readonly #cells: string[] = []
  /** Text of the cell that is open, from its quote on. */
  #open: string[] | undefined
  #length = 0
  #needsQuotes = false

  constructor(separator: string, quoting: Exclude<Quoting, 'none'>) {
    this.#separator = separator
    this.#quoting = quoting
  }

  /** Number of characters in all its lines. */
  get length(): number {
    return this.#length
  }

  /**
   * Adds a line. Returns the row as far as it is known with this line.
   * @param breaks number of line breaks between this line and the line before
   */
  take(line: string, breaks = 1): Cut {
    const begun = this.#open
    this.#length += begun ? breaks + line.length : line.length
    if (begun && closingQuote(line, -1, this.#separator, this.#quoting) < 0) {
      begun.push('\n'.repeat(breaks), line)
      return { cells: this.#cells, state: 'open', needsQuotes: this.#needsQuotes }
    }
    const text = begun ? `${begun.join('')}${'\n'.repeat(breaks)}${line}` : line
    const { cells, state, needsQuotes, end } = cutQuoted(text, this.#separator, this.#quoting)
    for (const cell of cells) this.#cells.push(cell)
    this.#needsQuotes ||= needsQuotes
    this.#open = state === 'open' ? [text.slice(end)] : undefined
    return { cells: this.#cells, state, needsQuotes: this.#needsQuotes }
  }
}

/** Splits a row of a quoted table into cells. `end` is where a cell begins that is not closed in the text. */
export function cutQuoted(
  text: string,
  separator: string,
  quoting: Exclude<Quoting, 'none'>,
): Cut & { readonly end: number } {
  const cells: string[] = []
  const escaped = quoting === 'doubled' ? '""' : '\\"'
  let needsQuotes = false
  for (let at = 0; at <= text.length; at++) {
    const isQuoted = text[at] === QUOTE
    const end = isQuoted ? closingQuote(text, at, separator, quoting) : text.indexOf(separator, at)
    if (isQuoted && end < 0) return { cells, state: 'open', needsQuotes, end: at }
    const cell = text.slice(isQuoted ? at + 1 : at, end < 0 ? text.length : end)
    if (!isQuoted) {
      if (cell.includes(QUOTE)) return { cells, state: 'broken', needsQuotes, end: at }
      cells.push(cell)
      at += cell.length
      continue
    }
    at = end + 1
    if (at < text.length && text[at] !== separator) {
      return { cells, state: 'broken', needsQuotes, end: at }
    }
    needsQuotes ||= cell.includes(QUOTE) || cell.includes(separator) || cell.includes('\n')
    cells.push(cell.replaceAll(escaped, QUOTE))
  }
  return { cells, state: 'whole', needsQuotes, end: text.length }
}

function closingQuote(text: string, start: number, separator: string, quoting: Quoting): number {
  for (let at = text.indexOf(QUOTE, start + 1); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    const next = text[at + 1]
    if (quoting === 'doubled') {
      if (next !== QUOTE) return at
      at++
    } else if (text[at - 1] !== '\\' || next === undefined || next === separator) return at
  }
  return -1
}

/**
 * Splits one row into cells, and unquotes them if each quote is where the rules allow one.
 *
 * @example cellsOfRow('"a, b",2', ',') // ['a, b', '2']
 */
export function cellsOfRow(text: string, separator: string): readonly string[] {
  if (!text.includes(QUOTE)) return text.split(separator)
  for (const quoting of ['doubled', 'escaped'] as const) {
    const { cells, state } = cutQuoted(text, separator, quoting)
    if (state === 'whole') return cells
  }
  return text.split(separator)
}

/**
 * Determines the quoting style of a table. A table is quoted if all header names are quoted or some cell needs
 * its quotes, and if no quote is in an invalid place. In any other table, quotes are ordinary text.
 */
export async function findQuoting(
  lines: AsyncIterable<readonly Line[]>,
  separator: string,
): Promise<Quoting> {
  const readings = new Readings(separator)
  for await (const batch of lines) if (!readings.take(batch)) break
  return readings.quoting
}

/** Determines the quoting style of lines in memory, with any separator. */
export function quotingOf(lines: Iterable<Line>, separator: string): Quoting {
  const readings = new Readings(separator)
  for (const line of lines) if (!readings.take([line])) break
  return readings.quoting
}

const isQuotedHeader = (text: string, separator = '\t'): boolean =>
  text.split(separator).every((name) => /^".*"$/.test(name))

/** Reads a table with each quoting style in parallel. */
class Readings {
  readonly #all: readonly Reading[]

  constructor(separator: string) {
    this.#all = [new Reading('doubled', separator), new Reading('escaped', separator)]
  }

  get quoting(): Quoting {
    return this.#all.find((reading) => reading.isProved)?.quoting ?? 'none'
  }

  /** @returns whether the table may still be quoted */
  take(lines: readonly Line[]): boolean {
    for (const line of lines) for (const reading of this.#all) reading.take(line)
    return this.#all.some(({ isBroken }) => !isBroken)
  }
}

/** Reads a table under the assumption of one quoting style. */
class Reading {
  readonly quoting: Exclude<Quoting, 'none'>
  isBroken = false
  #isShown = false
  #isFirst = true
  #open: QuotedRow | undefined

  readonly #separator: string

  constructor(quoting: Exclude<Quoting, 'none'>, separator: string) {
    this.quoting = quoting
    this.#separator = separator
  }

  get isProved(): boolean {
    return this.#isShown && !this.isBroken && this.#open === undefined
  }

  take({ text }: Line): void {
    if (this.isBroken || (this.#isFirst && text.startsWith('#'))) return
    if (this.#isFirst) this.#isShown = isQuotedHeader(text, this.#separator)
    this.#isFirst = false
    if (this.#open === undefined && !text.includes(QUOTE)) return
    const row = this.#open ?? new QuotedRow(this.#separator, this.quoting)
    const { state, needsQuotes } = row.take(text)
    this.isBroken = state === 'broken' || row.length > MAX_ROW
    this.#isShown ||= needsQuotes
    this.#open = state === 'open' ? row : undefined
  }
}

/** Maximum length of a row in characters. If a row is longer, its opening quote is considered as never closed. */
export const MAX_ROW = 4 << 20
