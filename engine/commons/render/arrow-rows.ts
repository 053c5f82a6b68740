import { type Data, Field, Float64, Int64, makeData, Schema, Utf8 } from 'apache-arrow'
import { type ArrowOptions, batchChunk } from './arrow.ts'
import { arrowColumn, arrowType, textColumn } from './arrow-columns.ts'
import { BLOCK_ROWS } from './column-codes.ts'
import type { ColumnRows } from './column-rows.ts'
import type { LeafNode } from './column-tree.ts'
import type { TypedColumn } from './columns.ts'
import type { RowVector } from './row-kernel.ts'

/** Renders rows like `arrowChunk`, but from the columns of a release instead of documents. */
export function arrowRows(
  table: ColumnRows,
  rows: Uint32Array,
  options: Omit<ArrowOptions, 'rows'>,
): Uint8Array<ArrayBuffer> {
  const { columns, first } = options
  const schema = new Schema(columns.map(({ key, type }) => new Field(key, arrowType(type), true)))
  const { length } = rows
  const children = () =>
    table.vectors(columns, rows)?.map((vector, i) => dataOf(vector, columns[i]!, length)) ??
    vectorsOf(table, rows, columns)
  return batchChunk(schema, length > 0 ? children() : [], { rows: length, first })
}

/** Wraps a vector of the kernel, which writes only texts, integers and other numbers. */
function dataOf(vector: RowVector, { type }: TypedColumn, length: number): Data {
  const { data, valueOffsets, ...nulls } = vector
  if (valueOffsets) return makeData({ type: new Utf8(), data, valueOffsets, length, ...nulls })
  const { buffer, byteOffset } = data
  return type === 'integer'
    ? makeData({
        type: new Int64(),
        data: new BigInt64Array(buffer, byteOffset, length),
        length,
        ...nulls,
      })
    : makeData({
        type: new Float64(),
        data: new Float64Array(buffer, byteOffset, length),
        length,
        ...nulls,
      })
}

interface Vector {
  /** Puts the values of consecutive rows, the first of which is `first`, given their codes. */
  put(codes: Uint32Array, first: number, node: LeafNode): void
  finish: ReturnType<typeof arrowColumn>['finish']
}

function vectorsOf(table: ColumnRows, rows: Uint32Array, columns: readonly TypedColumn[]) {
  const vectors = columns.map(({ type }) => vectorOf(type, rows.length, table))
  const block = table.codes(columns.map(({ key }) => key))
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
    block.take(rows.subarray(at, at + BLOCK_ROWS))
    for (const [column, vector] of vectors.entries()) {
      const node = block.leafOf(column)
      if (node) vector.put(block.codesOf(column), at, node)
    }
  }
  return vectors.map((vector) => vector.finish())
}

function vectorOf(type: TypedColumn['type'], length: number, table: ColumnRows): Vector {
  if (type === 'text') {
    const cellsOf = table.cells('plain')
    const column = textColumn(length)
    return {
      put: (codes, first, node) => column.write(codes, first, cellsOf(node)),
      finish: () => column.finish(),
    }
  }
  const column = arrowColumn(type, length)
  return {
    put(codes, first, { column: own }) {
      if (!own) return
      const { dictionary, numbers } = own
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code === 0) continue
        // A column that is neither text nor numbers has the texts `true` and `false`.
        column.put(first + i, numbers ? numbers[code - 1]! : dictionary.text(code) === 'true')
      }
    },
    finish: () => column.finish(),
  }
}
