import { EngineError } from '../../../shared/errors.ts'
import type { BadRow } from '../report.ts'
import type { RowIssues } from './issue-list.ts'

/** Bad rows that are reported one by one. */
const MAX_REPORTED = 100

/** Counts the rows of all files that cannot be taken. */
export class IssueTally {
  readonly badRows: BadRow[] = []
  count = 0
  /** What makes it doubtful that the values of a file are FPKM-UQ. */
  readonly doubts: string[] = []
  readonly #maxErrors: number

  constructor(maxErrors: number) {
    this.#maxErrors = maxErrors
  }

  /** @throws EngineError bad_input when there are too many */
  add(source: string, { count, first }: RowIssues): void {
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
}
