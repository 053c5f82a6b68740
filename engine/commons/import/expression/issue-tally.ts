import { EngineError } from '../../../shared/errors.ts'
import { mostFrequent, type NameCount } from '../name-counts.ts'
import type { BadRow } from '../report.ts'
import type { RowIssues } from './issue-list.ts'

/** Bad rows that are reported one by one. */
const MAX_REPORTED = 100

/** Cells of a file with a word that stands for nothing. */
export interface EmptyCells {
  readonly source: string
  readonly count: number
  /** The columns with the most of them. */
  readonly columns: readonly NameCount[]
}

/** Counts the rows and values of all files that cannot be taken. */
export class IssueTally {
  readonly badRows: BadRow[] = []
  count = 0
  /** What makes it doubtful that the values of a file are FPKM-UQ. */
  readonly doubts: string[] = []
  readonly emptyCells: EmptyCells[] = []
  readonly #maxErrors: number

  constructor(maxErrors: number) {
    this.#maxErrors = maxErrors
  }

  /**
   * @param nameOf the name of a column
   * @throws EngineError bad_input when there are too many
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

  /** @param counts by the names of their columns */
  addEmpty(source: string, counts: ReadonlyMap<string, number>): void {
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
    if (count > 0) this.emptyCells.push({ source, count, columns: mostFrequent(counts) })
  }
}
