import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { cellOf, writeLine } from '../../shared/formats/table-cells.ts'
import type { Json, JsonObject } from '../../shared/input/json-value.ts'
import type { TableColumn } from './columns.ts'
import type { CaseTable, Row } from './tables.ts'

/** What stands where a record has nothing. */
const MISSING = "'--"

/** What some cases have of a table. */
export interface TableMeasure {
  readonly rows: number
  /** Of the lines with the columns that every table has. */
  readonly bytes: number
  /** Of the other columns, by their names: bytes of their values beyond those of missing ones. */
  readonly used: Readonly<Record<string, number>>
}

/** The lines of some cases, with the columns that every table has and these. */
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

/** As `writeLines` without further columns; says what these would add. */
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

/** Bytes of a table's lines with the columns that some of its parts use. */
export function bytesOf(measure: TableMeasure): number {
  const more = Object.values(measure.used)
  // A tab and a cell in every line, which is as long as a missing one or differs.
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

/** Several values of one field stand behind one another, and truth is written as in JSON. */
function textOf(value: Json | undefined, isDecimal: boolean): string {
  if (Array.isArray(value)) {
    const texts = value.filter((one) => one !== null).map((one) => textOf(one, isDecimal))
    return texts.length > 0 ? texts.join('|') : MISSING
  }
  if (value === undefined || value === null || value === '' || typeof value === 'object')
    return MISSING
  return typeof value === 'boolean' ? String(value) : cellOf(value, isDecimal)
}
