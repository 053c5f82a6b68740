import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { cellOf, writeLine } from '../../shared/formats/table-cells.ts'
import type { Json, JsonObject } from '../../shared/input/json-value.ts'
import type { TableColumn } from './columns.ts'
import type { CaseTable, Row } from './tables.ts'

/** Cell of a missing value. */
const MISSING = "'--"

/** Size of a table's lines for some cases. */
export interface TableMeasure {
  readonly rows: number
  /** Bytes of the lines with the fixed columns. */
  readonly bytes: number
  /** For each further column by name: the bytes of its values, minus the bytes of as many missing values. */
  readonly used: Readonly<Record<string, number>>
}

/** Writes the lines of some cases, with the fixed columns and the given ones. */
export function writeLines(
  table: CaseTable,
  records: Iterable<JsonObject>,
  sink: ByteSink,
  more: readonly TableColumn[],
): void {
  const columns = [...table.columns.always, ...more]
  for (const record of records) {
    for (const row of table.rows(record)) {
      writeLine(
        sink,
        columns.map((column) => cellIn(row, record, column)),
      )
    }
  }
}

/** Writes lines like `writeLines`, with the fixed columns only. Returns the bytes that further columns would add. */
export function measureLines(
  table: CaseTable,
  records: Iterable<JsonObject>,
  sink: ByteSink,
): TableMeasure {
  const start = sink.length
  const used: Record<string, number> = {}
  let rows = 0
  for (const record of records) {
    for (const row of table.rows(record)) {
      rows++
      for (const column of table.columns.ifUsed) {
        const cell = cellIn(row, record, column)
        if (cell === MISSING) continue
        used[column.name] = (used[column.name] ?? 0) + Buffer.byteLength(cell) - MISSING.length
      }
    }
    writeLines(table, [record], sink, [])
  }
  return { rows, bytes: sink.length - start, used }
}

/** Returns the bytes of a table's lines including the further columns that were used. */
export function bytesOf(measure: TableMeasure): number {
  const more = Object.values(measure.used)
  // Each line gets a tab and a cell, counted here as a missing value. `used` has the difference to the real cells.
  const perLine = 1 + MISSING.length
  return more.reduce((sum, bytes) => sum + bytes + measure.rows * perLine, measure.bytes)
}

export function sumOf(one: TableMeasure, other: TableMeasure): TableMeasure {
  const used: Record<string, number> = { ...one.used }
  for (const [name, bytes] of Object.entries(other.used)) used[name] = (used[name] ?? 0) + bytes
  return { rows: one.rows + other.rows, bytes: one.bytes + other.bytes, used }
}

function cellIn(row: Row, record: JsonObject, { part, field, isDecimal }: TableColumn): string {
  const holder = part === 'cases' ? record : part === 'project' ? record.project : row[part]
  const value = typeof holder === 'object' && holder !== null ? (holder as JsonObject)[field] : null
  return textOf(value, isDecimal)
}

/** Joins several values of a field by `|`, and writes booleans as in JSON. */
function textOf(value: Json | undefined, isDecimal: boolean): string {
  if (Array.isArray(value)) {
    const texts = value.filter((one) => one !== null).map((one) => textOf(one, isDecimal))
    return texts.length > 0 ? texts.join('|') : MISSING
  }
  if (value === undefined || value === null || value === '' || typeof value === 'object')
    return MISSING
  return typeof value === 'boolean' ? String(value) : cellOf(value, isDecimal)
}
