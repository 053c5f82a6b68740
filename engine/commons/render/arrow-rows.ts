import { Field, Schema } from 'apache-arrow'
import { type ArrowOptions, batchChunk } from './arrow.ts'
import { arrowColumn, arrowType, textColumn } from './arrow-columns.ts'
import type { ColumnRows } from './column-rows.ts'
import { codeAt, type LeafNode } from './column-tree.ts'
import type { TypedColumn } from './columns.ts'

/** As arrowChunk of rows that are written from columns. */
export function arrowRows(
  table: ColumnRows,
  rows: Uint32Array,
  options: Omit<ArrowOptions, 'rows'>,
): Uint8Array<ArrayBuffer> {
  const { columns, first } = options
  const schema = new Schema(columns.map(({ key, type }) => new Field(key, arrowType(type), true)))
  const { length } = rows
  return batchChunk(schema, length > 0 ? vectorsOf(table, rows, columns) : [], {
    rows: length,
    first,
  })
}

interface Vector {
  put(row: number, code: number, node: LeafNode): void
  finish: ReturnType<typeof arrowColumn>['finish']
}

function vectorsOf(table: ColumnRows, rows: Uint32Array, columns: readonly TypedColumn[]) {
  const { own, slots } = table.slots(columns.map(({ key }) => key))
  const vectors = columns.map(({ type }) => vectorOf(type, rows.length, table))
  for (const [slot, { key }] of columns.entries()) {
    const node = own.get(key)
    const vector = vectors[slot]!
    for (let row = 0; node && row < rows.length; row++) {
      const code = codeAt(node, rows[row]!)
      if (code !== 0) vector.put(row, code, node)
    }
  }
  const isFilled = columns.some(({ key }) => !own.has(key))
  for (let row = 0; isFilled && row < rows.length; row++) {
    slots.fill(rows[row]!)
    const { codes } = slots
    for (let slot = 0; slot < vectors.length; slot++) {
      const code = codes[slot]!
      if (code !== 0) vectors[slot]!.put(row, code, slots.leaves[slot]!)
    }
  }
  return vectors.map((vector) => vector.finish())
}

function vectorOf(type: TypedColumn['type'], length: number, table: ColumnRows): Vector {
  if (type === 'text') {
    const cellsOf = table.cells('plain')
    const column = textColumn(length)
    return {
      put: (row, code, node) => column.write(row, cellsOf(node), code),
      finish: () => column.finish(),
    }
  }
  const column = arrowColumn(type, length)
  return {
    put(row, code, { column: own }) {
      if (!own) return
      const { dictionary, numbers } = own
      column.put(row, numbers ? numbers[code - 1]! : dictionary.text(code) === 'true')
    },
    finish: () => column.finish(),
  }
}
