/** A row or value that is rejected. */
interface LineIssue {
  readonly line: number
  readonly reason: string
  /** Index of the cell, for a value. */
  readonly cell?: number
}

/** Rejected rows and values in the result of a job. */
export interface RowIssues {
  /** Number of all of them. */
  readonly count: number
  /** The first of them. */
  readonly first: readonly LineIssue[]
}

const MAX_REPORTED = 100
/** Characters of a cell shown in a reason. */
const MAX_SHOWN = 40

/** Counts the problems of a file. Keeps the first ones for the report. */
export class IssueList {
  count = 0
  readonly #first: LineIssue[] = []

  add(line: number, reason: string, cell?: number): void {
    this.count++
    if (this.#first.length === MAX_REPORTED) return
    this.#first.push(cell === undefined ? { line, reason } : { line, reason, cell })
  }

  get issues(): RowIssues {
    return { count: this.count, first: this.#first }
  }
}

export const wrongWidth = (cells: number, columns: number) =>
  `the row has ${cells} columns, the header ${columns}`
export const CONTINUES =
  'a quoted cell continues in the next line, or its quote is not closed; write each row in one line'
export const NO_GENE = 'the row has no gene id'
export const NO_VALUES_THERE = 'the row has no value'
export const noNumber = (cell: string) => `"${cell.slice(0, MAX_SHOWN)}" is no number of 0 or above`
export const otherValues = (gene: string) =>
  `gene ${gene.slice(0, 40)} occurs before with other values; neither row is taken`
