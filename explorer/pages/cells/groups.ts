import type { GeneCells } from './summary.ts'
import { type GeneSummary, summaryOf } from './summary.ts'

/** Response of `/scrna_seq/cell_annotations`, as far as the page reads it. */
export interface AnnotationsAnswer {
  readonly data: {
    readonly annotations: readonly { readonly name: string; readonly kind: string }[]
    readonly annotation?: CellGroups
  }
}

/** Value index of each cell, in file order. */
interface CellGroups {
  readonly name: string
  readonly values: readonly string[]
  readonly codes: readonly number[]
}

/** Summary of a gene in the cells of one group. */
export interface GroupSummary extends GeneSummary {
  readonly group: string
}

/** Summarizes a gene by group of cells. Numeric groups are sorted by value, others by name. */
export function groupSummaries(
  name: string,
  { cells }: Pick<GeneCells, 'cells'>,
  { values, codes }: CellGroups,
): readonly GroupSummary[] {
  const byGroup = values.map((): GeneCells['cells'][number][] => [])
  for (const [index, cell] of cells.entries()) byGroup[codes[index] ?? -1]?.push(cell)
  return values
    .map((group, index) => ({ group, ...summaryOf(name, { cells: byGroup[index] ?? [] }) }))
    .toSorted((one, other) => one.group.localeCompare(other.group, 'en', { numeric: true }))
}
