import type { Cell, StagingTable } from './model.ts'

/** A cell that accepts anything. */
const ANYTHING = '*'

/** A row of a table that validates an input. */
interface CodeRow {
  /** The cell: values and ranges separated by commas, or `*` for anything. */
  readonly code: string
  readonly label?: string
  /** Cells of the other inputs. Cells that accept anything are left out. */
  readonly when?: Readonly<Record<string, string>>
}

type InputColumn = readonly [key: string, place: number]

export const inputColumns = (table: StagingTable | undefined): InputColumn[] =>
  (table?.definition ?? []).flatMap(({ type, key = '' }, place) =>
    type === 'INPUT' ? [[key, place] as const] : [],
  )

/** Returns the cell of a row for each key. */
export const cellsByKey = (
  columns: readonly InputColumn[],
  cells: readonly Cell[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(([key, place]) => [key, cells[place] ?? ANYTHING]))

/** Combines a code with its label, unless the label is empty. */
export const labelled = (code: string, label = ''): Pick<CodeRow, 'code' | 'label'> => ({
  code,
  ...(label !== '' && { label }),
})

/** Returns the codes that a table lists for one of its keys, row by row. */
export function codesOfTable(table: StagingTable, key: string): CodeRow[] {
  const columns = inputColumns(table)
  const label = labelColumn(table)
  return table.rows.map((cells) => {
    const { [key]: code = ANYTHING, ...others } = cellsByKey(columns, cells)
    const when = Object.entries(others).filter(([, cell]) => cell !== ANYTHING)
    return {
      ...labelled(code, cells[label] ?? ''),
      ...(when.length > 0 && { when: Object.fromEntries(when) }),
    }
  })
}

/** Finds the column that explains the codes, since there may be several human-readable columns. */
function labelColumn({ definition }: StagingTable): number {
  const texts = definition.map(({ type, key = '' }) => (type === 'DESCRIPTION' ? key : undefined))
  const named = texts.findIndex((key) => key === 'description' || key === 'desc')
  return named < 0 ? texts.findIndex((key) => key !== undefined) : named
}
