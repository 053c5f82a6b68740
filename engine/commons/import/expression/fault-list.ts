/** A row that cannot be taken. */
export interface LineFault {
  readonly line: number
  readonly reason: string
}

/** What a job reports of rows that cannot be taken: all are counted, the first ones listed. */
export interface Faults {
  readonly count: number
  readonly first: readonly LineFault[]
}

const MAX_TOLD = 100

export class FaultList {
  #count = 0
  readonly #first: LineFault[] = []

  add(line: number, reason: string): void {
    this.#count++
    if (this.#first.length < MAX_TOLD) this.#first.push({ line, reason })
  }

  get faults(): Faults {
    return { count: this.#count, first: this.#first }
  }
}

export const wrongWidth = (cells: number, columns: number) =>
  `the row has ${cells} columns, the header ${columns}`
export const NO_GENE = 'the row has no gene id'
export const NO_NUMBER = 'holds no number of 0 or above'
export const repeatedGene = (gene: string) => `gene ${gene.slice(0, 40)} occurs before`
