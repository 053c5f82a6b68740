import type { ContextValues } from './key-slots.ts'
import type { ColumnType } from './model.ts'
import type { Visit, VisitPurpose } from './result.ts'
import type { TableIndex } from './table-index.ts'

/** A table visit, by which mapping or for which key. */
interface Looked {
  readonly purpose: VisitPurpose
  /** -1 if no row matched. */
  readonly row: number
  readonly mapping?: string | undefined
  readonly key?: string | undefined
}

/** Describes a table visit with its inputs and the cells of the matching row. */
export function visitOf(
  { table, columns, endpointKeys }: TableIndex,
  values: ContextValues,
  { purpose, row, mapping, key }: Looked,
): Visit {
  const cells = table.rows[row]
  const cellsOf = (wanted: ColumnType) =>
    table.definition.flatMap(({ type }, place) => (type === wanted ? [cells?.[place]] : []))
  const inputCells = cellsOf('INPUT')
  const inputs = columns.map(({ key: name, slot }, i) => {
    const cell = inputCells[i]
    return {
      key: name,
      value: values[slot] ?? '',
      ...(typeof cell === 'string' ? { cell } : {}),
    }
  })
  const endpointCells = cellsOf('ENDPOINT')
  const endpoints = endpointKeys.flatMap((name, i) => {
    const cell = endpointCells[i]
    return typeof cell === 'string' ? [{ key: name, cell }] : []
  })
  return {
    table: table.id,
    purpose,
    ...(mapping === undefined ? {} : { mapping }),
    ...(key === undefined ? {} : { key }),
    ...(row < 0 ? {} : { row }),
    inputs,
    ...(row < 0 || endpoints.length === 0 ? {} : { endpoints }),
  }
}
