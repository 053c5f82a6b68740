import { COPY_CLASSES, copyClass, MUTATION_CLASSES, mutationClass } from './change-classes.ts'

/** Response of `/analysis/oncogrid`. */
export interface OncogridAnswer {
  readonly total: number
  readonly ssm_tested: number
  readonly cnv_tested: number
  readonly genes_total: number
  readonly genes: readonly GridGene[]
  readonly cases_total: number
  readonly cases: readonly string[]
  readonly consequence_types: readonly string[]
  readonly copy_numbers: readonly string[]
  readonly cells: readonly AnsweredCell[]
}

interface GridGene {
  readonly gene_id: string
  readonly symbol: string | null
  readonly ssm_cases: number
  readonly cnv_cases: number
}

/** Indexes in the lists of the response, except `mutations`, which is a number of distinct mutations. */
type AnsweredCell = readonly [
  gene: number,
  case_: number,
  mutations: number,
  consequences: readonly number[],
  copies: readonly number[],
]

/** Changes of a gene in a case. Gene and case are indexes in the lists of the response. */
export interface GridCell {
  readonly gene: number
  readonly case: number
  /** Number of distinct mutations. */
  readonly mutations: number
  readonly consequences: readonly string[]
  readonly copies: readonly string[]
}

/** Cells in compact form, sorted by case. The cells of case n are at `offsets[n]` to `offsets[n + 1] - 1`. */
export interface DrawnCells {
  readonly offsets: Uint32Array
  /** Index of the gene of each cell. */
  readonly genes: Uint16Array
  /** Index in MUTATION_CLASSES plus 1, or 0 without a mutation. */
  readonly mutations: Uint8Array
  /** Index in COPY_CLASSES plus 1, or 0 without a change. */
  readonly copies: Uint8Array
}

export const geneName = ({ symbol, gene_id }: Pick<GridGene, 'gene_id' | 'symbol'>) =>
  symbol ?? gene_id

/** Returns the cells, sorted by case and gene, with names instead of indexes of consequences and copy numbers. */
export function cellsOf({
  cells,
  consequence_types: types,
  copy_numbers: changes,
}: OncogridAnswer): readonly GridCell[] {
  const namesAt = (indexes: readonly number[], names: readonly string[]) =>
    indexes.map((index) => names[index] ?? '')
  return cells
    .map(([gene, caseIndex, mutations, consequences, copies]) => ({
      gene,
      case: caseIndex,
      mutations,
      consequences: namesAt(consequences, types),
      copies: namesAt(copies, changes),
    }))
    .toSorted((one, other) => one.case - other.case || one.gene - other.gene)
}

/**
 * Converts cells to the compact form.
 * @param cells sorted by case, as cellsOf returns them
 * @param cases number of cases in the response
 */
export function drawnCells(cells: readonly GridCell[], cases: number): DrawnCells {
  const drawn = {
    offsets: new Uint32Array(cases + 1),
    genes: new Uint16Array(cells.length),
    mutations: new Uint8Array(cells.length),
    copies: new Uint8Array(cells.length),
  }
  for (const [i, cell] of cells.entries()) {
    drawn.offsets[cell.case + 1] = i + 1
    drawn.genes[i] = cell.gene
    if (cell.mutations > 0) {
      drawn.mutations[i] = MUTATION_CLASSES.indexOf(mutationClass(cell.consequences)) + 1
    }
    const copy = copyClass(cell.copies)
    if (copy !== undefined) drawn.copies[i] = COPY_CLASSES.indexOf(copy) + 1
  }
  // A case without cells starts and ends where the case before it ends.
  for (let i = 1; i <= cases; i++) {
    drawn.offsets[i] = Math.max(drawn.offsets[i] ?? 0, drawn.offsets[i - 1] ?? 0)
  }
  return drawn
}
