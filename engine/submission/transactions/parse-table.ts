import { EngineError } from '../../shared/errors.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { type EntityDocument, MAX_DOCUMENTS, type Submitted } from './submitted.ts'
import { type Column, readHeader } from './table-header.ts'
import { tableRows } from './table-rows.ts'
import { typedCell } from './typed-cell.ts'

/** Maximum number of columns, over ten times the number for any type. */
const MAX_COLUMNS = 2000

/**
 * Parses a table with one entity per row (submission.md 8). Empty cells are absent. A row with more cells than
 * the header is misaligned. It becomes an entity without properties, as if it had no type.
 * @throws EngineError `bad_input`, `too_many`
 */
export function parseTable(
  text: string,
  separator: string,
  types: ReadonlyMap<string, EntityType>,
): readonly Submitted[] {
  if (!/[\r\n]/.test(text)) {
    const message = 'the table has no line breaks; give a line of names and one for each entity'
    throw new EngineError('bad_input', message)
  }
  const rows = tableRows(text, separator)
  const header = rows.next()
  if (header.done) return []
  if (header.value.cells.length > MAX_COLUMNS) {
    throw new EngineError('too_many', `the table has more than ${MAX_COLUMNS} columns`)
  }
  const columns = readHeader(header.value)
  const places = new Map<string, number>()
  for (const [i, column] of columns.entries()) {
    if (column && !places.has(column.property)) places.set(column.property, i + 1)
  }
  const submitted: Submitted[] = []
  for (const { line, cells } of rows) {
    if (submitted.length === MAX_DOCUMENTS) {
      throw new EngineError('too_many', `the table has more than ${MAX_DOCUMENTS} rows`)
    }
    const beyond = cells.findIndex((cell, i) => cell !== '' && !columns[i])
    const document = beyond === -1 ? rowDocument(columns, cells, types) : {}
    submitted.push({
      document,
      line,
      columns: places,
      ...(beyond !== -1 && { beyond: beyond + 1 }),
    })
  }
  return submitted
}

function rowDocument(
  columns: readonly (Column | undefined)[],
  cells: readonly string[],
  types: ReadonlyMap<string, EntityType>,
): EntityDocument {
  const typeColumn = columns.findIndex((column) => column?.property === 'type' && !column.parent)
  const properties = types.get(cells[typeColumn] ?? '')?.properties
  const values = new Map<string, unknown>()
  const parents = new Map<string, Map<string, Record<string, string>>>()
  for (const [i, cell] of cells.entries()) {
    if (cell === '') continue
    const column = columns[i]
    if (!column) continue
    const { property, parent } = column
    if (!parent) values.set(property, typedCell(cell, properties?.get(property)))
    else if (cell !== 'null') addParent(parents, property, parent, cell)
  }
  for (const [link, numbered] of parents) {
    const named = [...numbered.values()]
    values.set(link, named.length === 1 ? named[0] : named)
  }
  return Object.fromEntries(values)
}

function addParent(
  parents: Map<string, Map<string, Record<string, string>>>,
  link: string,
  { key, number }: NonNullable<Column['parent']>,
  cell: string,
): void {
  const numbered = parents.get(link) ?? new Map<string, Record<string, string>>()
  parents.set(link, numbered)
  const named = numbered.get(number)
  numbered.set(number, { ...named, [key]: cell })
}
