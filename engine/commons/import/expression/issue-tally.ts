import { EngineError } from '../../../shared/errors.ts'
import { mostFrequent, type NameCount } from '../../../shared/input/name-counts.ts'
import type { BadRow } from '../report.ts'
import type { RowIssues } from './issue-list.ts'

/** Maximum number of bad rows to report. */
const MAX_REPORTED = 100

/** Cells of a file that mean a missing value. */
export interface EmptyCells {
  readonly source: string
  readonly count: number
  /** The columns with the most empty cells. */
  readonly columns: readonly NameCount[]
}

/** Counts the rejected rows and values of all files. */
export class IssueTally {
  readonly badRows: BadRow[] = []
  count = 0
  /** Reasons to doubt that a file's values are FPKM-UQ. */
  readonly doubts: string[] = []
  readonly emptyCells: EmptyCells[] = []
  readonly #maxErrors: number

  constructor(maxErrors: number) {
    this.#maxErrors = maxErrors
  }

  /**
   * Adds the rejected rows and values of a file.
   * @param nameOf returns the name of a column
   * @throws EngineError bad_input for too many of them
   */
  add(
    source: string,
    { count, first: found }: RowIssues,
    nameOf?: (cell: number) => string | undefined,
  ): void {
    const first = found.map(({ line, reason, cell }) => {
      const name = cell === undefined ? undefined : nameOf?.(cell)
      return { line, reason: name === undefined ? reason : `column ${name}: ${reason}` }
    })
    this.count += count
    const free = MAX_REPORTED - this.badRows.length
    this.badRows.push(...first.slice(0, Math.max(free, 0)).map((each) => ({ source, ...each })))
    const last = first.at(-1)
    if (this.count <= this.#maxErrors || !last) return
    throw new EngineError(
      'bad_input',
      `more than ${this.#maxErrors} rows cannot be taken; one is line ${last.line} of "${source}": ${last.reason}`,
      { at: `${source}:${last.line}` },
    )
  }

  addDoubt(source: string, doubt: string | undefined): void {
    if (doubt === undefined) return
    if (this.doubts.length < MAX_REPORTED) this.doubts.push(`${source}: ${doubt}`)
  }

  /**
   * Adds the empty cells of a file.
   * @param counts number of empty cells, keyed by column name
   */
  addEmpty(source: string, counts: ReadonlyMap<string, number>): void {
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
    if (count > 0) this.emptyCells.push({ source, count, columns: mostFrequent(counts) })
  }
}
