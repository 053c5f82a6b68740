import type { GeneCells } from './summary.ts'
import { type GeneSummary, summaryOf } from './summary.ts'

/** The answer of `/scrna_seq/cell_annotations`, as far as the page reads it. */
export interface AnnotationsAnswer {
  readonly data: {
    readonly annotations: readonly { readonly name: string; readonly kind: string }[]
    readonly annotation?: CellGroups
  }
}

/** Which of the values each cell has, in the order of the file. */
export interface CellGroups {
  readonly name: string
  readonly values: readonly string[]
  readonly codes: readonly number[]
}

/** A gene in the cells of one group. */
export interface GroupSummary extends GeneSummary {
  readonly group: string
}

/** The gene's numbers by group of cells; numbers come before each other, texts by letters. */
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
