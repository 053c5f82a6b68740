import type { Line } from './lines.ts'

/**
 * How a table marks cells that hold its separator, a line break or a quote. In quoted cells, a quote is
 * doubled (RFC 4180) or has a backslash before it (R's `write.table`).
 */
export type Quoting = 'none' | 'doubled' | 'escaped'

/** The cells of a row. */
export interface Cut {
  readonly cells: readonly string[]
  /** `open` if a quoted cell continues in the next line, `broken` if a quote stands where none can. */
  readonly state: 'whole' | 'open' | 'broken'
  /** Some cell would be read differently without its quotes. */
  readonly needsQuotes: boolean
}

const QUOTE = '"'

/** Cuts a row of a quoted table into cells. */
export function cutQuoted(text: string, separator: string, quoting: Exclude<Quoting, 'none'>): Cut {
  const cells: string[] = []
  const escaped = quoting === 'doubled' ? '""' : '\\"'
  let needsQuotes = false
  for (let at = 0; at <= text.length; at++) {
    const isQuoted = text[at] === QUOTE
    const end = isQuoted ? closingQuote(text, at, separator, quoting) : text.indexOf(separator, at)
    if (isQuoted && end < 0) return { cells, state: 'open', needsQuotes }
    const cell = text.slice(isQuoted ? at + 1 : at, end < 0 ? text.length : end)
    if (!isQuoted) {
      if (cell.includes(QUOTE)) return { cells, state: 'broken', needsQuotes }
      cells.push(cell)
      at += cell.length
      continue
    }
    at = end + 1
    if (at < text.length && text[at] !== separator) return { cells, state: 'broken', needsQuotes }
    needsQuotes ||= cell.includes(QUOTE) || cell.includes(separator) || cell.includes('\n')
    cells.push(cell.replaceAll(escaped, QUOTE))
  }
  return { cells, state: 'whole', needsQuotes }
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
 * Finds out whether a tab-separated table is quoted. It is if its header is, or if some cell needs
 * its quotes, and no cell has a quote that the rules do not allow. Otherwise quotes are text.
 */
export async function findQuoting(lines: AsyncIterable<readonly Line[]>): Promise<Quoting> {
  const readings = new Readings('\t')
  for await (const batch of lines) if (!readings.take(batch)) break
  return readings.quoting
}

/** The same of lines that are at hand, with any separator. */
export function quotingOf(lines: Iterable<Line>, separator: string): Quoting {
  const readings = new Readings(separator)
  for (const line of lines) if (!readings.take([line])) break
  return readings.quoting
}

/** Whether all names of a header are quoted. */
export const isQuotedHeader = (text: string, separator = '\t'): boolean =>
  text.split(separator).every((name) => /^".*"$/.test(name))

/** A table read in all the ways in which it may be quoted. */
class Readings {
  readonly #all: readonly Reading[]

  constructor(separator: string) {
    this.#all = [new Reading('doubled', separator), new Reading('escaped', separator)]
  }

  get quoting(): Quoting {
    return this.#all.find((reading) => reading.isProved)?.quoting ?? 'none'
  }

  /** @returns whether it may still be quoted */
  take(lines: readonly Line[]): boolean {
    for (const line of lines) for (const reading of this.#all) reading.take(line)
    return this.#all.some(({ isBroken }) => !isBroken)
  }
}

/** A table read under the assumption that it is quoted in one way. */
class Reading {
  readonly quoting: Exclude<Quoting, 'none'>
  isBroken = false
  #isShown = false
  #isFirst = true
  #open: string | undefined

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
    const row = this.#open === undefined ? text : `${this.#open}\n${text}`
    const { state, needsQuotes } = cutQuoted(row, this.#separator, this.quoting)
    this.isBroken = state === 'broken' || row.length > MAX_ROW
    this.#isShown ||= needsQuotes
    this.#open = state === 'open' ? row : undefined
  }
}

/** Characters of a row; beyond it a quote is taken for one that nothing closes. */
export const MAX_ROW = 4 << 20
