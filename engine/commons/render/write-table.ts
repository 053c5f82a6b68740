import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { Flattening, type Scalar } from '../../shared/formats/flatten.ts'
import {
  cellOf,
  orderColumns,
  type TableForm,
  writeLine,
} from '../../shared/formats/table-cells.ts'
import type { FieldType } from '../datasets/define.ts'
import { kindOf, type SeenColumn, typeOfKey } from './columns.ts'
import type { Hit } from './hit.ts'

/** Field types by dotted name. */
export type PrintedTypes = ReadonlyMap<string, FieldType>

export const FIRST_COLUMN = 'id'

interface TableStyle {
  readonly form: TableForm
  readonly types: PrintedTypes
}

/** Writes table lines with these columns in this order. Values of other columns are omitted. */
export function writeTable(
  hits: Iterable<Hit>,
  sink: ByteSink,
  { columns, types, form }: TableStyle & { readonly columns: readonly string[] },
): void {
  const flattening = new Flattening(columns)
  const isDecimal = columns.map((key) => isDecimalType(typeOfKey(types, key)))
  const line: (string | undefined)[] = new Array(columns.length)
  const see = (column: number, value: Scalar) => {
    if (column < columns.length) line[column] = cellOf(value, isDecimal[column] === true)
  }
  for (const hit of hits) {
    line.fill(undefined)
    flattening.flatten(hit, see)
    writeLine(sink, line, form)
  }
}

/** Writes table lines with the columns that the hits have. Returns these columns in order. */
export function writeOwnTable(
  hits: Iterable<object>,
  sink: ByteSink,
  { types, form }: TableStyle,
): SeenColumn[] {
  const flattening = new Flattening()
  const isDecimal: boolean[] = []
  const kinds: number[] = []
  const rows: (string | undefined)[][] = []
  let row: (string | undefined)[] = []
  const see = (column: number, value: Scalar) => {
    isDecimal[column] ??= isDecimalType(typeOfKey(types, flattening.keys[column] ?? ''))
    kinds[column] = (kinds[column] ?? 0) | kindOf(value)
    row[column] = cellOf(value, isDecimal[column])
  }
  for (const hit of hits) {
    row = []
    flattening.flatten(hit, see)
    rows.push(row)
  }
  const numbers = new Map(flattening.keys.map((key, number) => [key, number]))
  const columns = orderColumns(flattening.keys, FIRST_COLUMN)
  const order = columns.map((key) => numbers.get(key) ?? 0)
  const line: (string | undefined)[] = new Array(columns.length)
  for (const cells of rows) {
    for (let i = 0; i < order.length; i++) line[i] = cells[order[i] ?? 0]
    writeLine(sink, line, form)
  }
  return columns.map((key, i) => ({ key, kinds: kinds[order[i] ?? 0] ?? 0 }))
}

/** Returns the columns that the hits have, in no particular order. */
export function seeColumns(hits: Iterable<Hit>): SeenColumn[] {
  const flattening = new Flattening()
  const kinds: number[] = []
  for (const hit of hits) {
    flattening.flatten(hit, (column, value) => {
      kinds[column] = (kinds[column] ?? 0) | kindOf(value)
    })
  }
  return flattening.keys.map((key, i) => ({ key, kinds: kinds[i] ?? 0 }))
}

const isDecimalType = (type: FieldType) => type === 'double' || type === 'float'
