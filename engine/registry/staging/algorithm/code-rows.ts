import type { Cell, StagingTable } from './model.ts'

/** How a cell says that it takes anything. */
const ANYTHING = '*'

/** A row of a table that judges an input. */
export interface CodeRow {
  /** A cell: values and ranges between commas, `*` for anything. */
  readonly code: string
  readonly label?: string
  /** Cells of other inputs, where they do not take anything. */
  readonly when?: Readonly<Record<string, string>>
}

type InputColumn = readonly [key: string, place: number]

export const inputColumns = (table: StagingTable | undefined): InputColumn[] =>
  (table?.definition ?? []).flatMap(({ type, key = '' }, place) =>
    type === 'INPUT' ? [[key, place] as const] : [],
  )

/** What a row asks of each key. */
export const askedBy = (
  columns: readonly InputColumn[],
  cells: readonly Cell[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(([key, place]) => [key, cells[place] ?? ANYTHING]))

/** A code, and its label where there is one. */
export const labelled = (code: string, label = ''): Pick<CodeRow, 'code' | 'label'> => ({
  code,
  ...(label !== '' && { label }),
})

/** What a table lists for one of its keys, row by row. */
export function codesOfTable(table: StagingTable, key: string): CodeRow[] {
  const columns = inputColumns(table)
  const label = labelColumn(table)
  return table.rows.map((cells) => {
    const { [key]: code = ANYTHING, ...others } = askedBy(columns, cells)
    const when = Object.entries(others).filter(([, cell]) => cell !== ANYTHING)
    return {
      ...labelled(code, cells[label] ?? ''),
      ...(when.length > 0 && { when: Object.fromEntries(when) }),
    }
  })
}

/** Where a table says what its codes mean: tables of codes have other texts for people, too. */
function labelColumn({ definition }: StagingTable): number {
  const texts = definition.map(({ type, key = '' }) => (type === 'DESCRIPTION' ? key : undefined))
  const named = texts.findIndex((key) => key === 'description' || key === 'desc')
  return named < 0 ? texts.findIndex((key) => key !== undefined) : named
}
