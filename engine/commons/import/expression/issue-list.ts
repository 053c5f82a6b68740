/** A row that cannot be taken. */
export interface LineIssue {
  readonly line: number
  readonly reason: string
}

/** What a job reports of rows that cannot be taken: all are counted, the first ones listed. */
export interface RowIssues {
  readonly count: number
  readonly first: readonly LineIssue[]
}

const MAX_REPORTED = 100

export class IssueList {
  #count = 0
  readonly #first: LineIssue[] = []

  add(line: number, reason: string): void {
    this.#count++
    if (this.#first.length < MAX_REPORTED) this.#first.push({ line, reason })
  }

  get issues(): RowIssues {
    return { count: this.#count, first: this.#first }
  }
}

export const wrongWidth = (cells: number, columns: number) =>
  `the row has ${cells} columns, the header ${columns}`
export const NO_GENE = 'the row has no gene id'
export const NO_NUMBER = 'holds no number of 0 or above'
export const repeatedGene = (gene: string) => `gene ${gene.slice(0, 40)} occurs before`
