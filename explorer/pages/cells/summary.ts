/** Response of `/scrna_seq/gene_expression`, as far as the page reads it. */
export interface CellsAnswer {
  readonly data: readonly GeneCells[]
  readonly errors?: readonly unknown[]
}

export interface GeneCells {
  readonly gene_id: string
  readonly cells: readonly { readonly cell_id: string; readonly value: number | null }[]
}

/** Summary of a gene in the cells of a file. */
export interface GeneSummary {
  readonly name: string
  /** Values of all cells whose value is known. */
  readonly values: Float64Array
  /** Number of cells with a value above zero. */
  readonly expressing: number
  /** Mean over the expressing cells, or undefined if there are none. */
  readonly mean: number | undefined
  readonly median: number | undefined
  readonly highest: number | undefined
}

/** Summarises the values of a gene over the cells. */
export function summaryOf(name: string, { cells }: Pick<GeneCells, 'cells'>): GeneSummary {
  const known = cells.flatMap(({ value }) => (value === null ? [] : [value]))
  const values = Float64Array.from(known)
  const above = values.filter((value) => value > 0).toSorted()
  const count = above.length
  const [low, high] = [above[Math.ceil(count / 2) - 1], above[Math.floor(count / 2)]]
  return {
    name,
    values,
    expressing: count,
    mean: count === 0 ? undefined : above.reduce((sum, value) => sum + value, 0) / count,
    median: low === undefined || high === undefined ? undefined : (low + high) / 2,
    highest: above.at(-1),
  }
}
