import { type Table, tableFromIPC } from 'apache-arrow'
import type { Job, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import {
  type ChunkFacts,
  type CodedColumn,
  type CodedValues,
  ColumnChunks,
} from '../../shared/formats/parquet/column-chunk.ts'
import type { ColumnRows } from './column-rows.ts'
import { placesOf } from './column-rows.ts'
import type { LeafNode } from './column-tree.ts'
import type { TypedColumn } from './columns.ts'

/** A row group of a Parquet file: its column chunks, one after the other. */
export interface ParquetGroup {
  readonly bytes: Uint8Array
  readonly chunks: readonly ChunkFacts[]
}

/**
 * Maximum size of a row group before compression, in bytes, unless it is a single row. A group of the usual number of
 * cells reaches it if their values are different and have more than some 60 bytes.
 */
export const MAX_GROUP_BYTES = 32 << 20

const NUMBER_BYTES = 8
const LENGTH_BYTES = 4
const CODE_BYTES = Uint32Array.BYTES_PER_ELEMENT
/** Number of texts that are written together, so that what is kept of each stays in the processor's caches. */
const BLOCK_TEXTS = 1024
/** Likely number of bytes of a cell. */
const CELL_BYTES = 4

/** Writes rows from the columns of a release as a row group. Returns undefined if it would be too large. */
export function groupOfRows(
  table: ColumnRows,
  rows: Uint32Array,
  { columns, scratch }: { readonly columns: readonly TypedColumn[]; readonly scratch: Scratch },
): ParquetGroup | undefined {
  const { length } = rows
  const bytes = scratch.bytes('parquet codes', columns.length * length * CODE_BYTES)
  const codes = new Uint32Array(bytes.buffer, bytes.byteOffset, columns.length * length)
  const keys = columns.map(({ key }) => key)
  const leaves = table.readCodes(rows, keys, codes)
  const group = columns.map(({ type }, column): CodedColumn => {
    const own = codes.subarray(column * length, (column + 1) * length)
    const leaf = leaves[column]
    if (!leaf?.column) return { type, codes: own.fill(0), values: undefined }
    if (type !== 'boolean') return { type, codes: own, values: valuesOf(leaf, type, table) }
    const { dictionary } = leaf.column
    for (let i = 0; i < length; i++) {
      if (own[i] !== 0) own[i] = dictionary.text(own[i]!) === 'true' ? 2 : 1
    }
    return { type, codes: own, values: undefined }
  })
  return groupOf(group, length, scratch)
}

/** Rows in Arrow streams of one batch each, which were made from documents. */
interface ParquetBatches {
  readonly columns: readonly TypedColumn[]
  readonly batches: readonly Uint8Array[]
}

/** Writes rows as a row group, byte for byte as `groupOfRows` does. */
export function groupOfBatches(
  { columns, batches }: ParquetBatches,
  scratch: Scratch,
): ParquetGroup | undefined {
  const tables = batches.map((batch) => tableFromIPC(batch))
  const length = tables.reduce((sum, { numRows }) => sum + numRows, 0)
  const group = columns.map(({ type }, column) => codedColumn(type, tables, { column, length }))
  return groupOf(group, length, scratch)
}

export const parquetGroupJob: Job<ParquetBatches, ParquetGroup | undefined> = {
  name: 'render.parquet-group',
  run: groupOfBatches,
  transfer: (group) => (group?.bytes.buffer instanceof ArrayBuffer ? [group.bytes.buffer] : []),
}

function groupOf(
  columns: readonly CodedColumn[],
  rows: number,
  scratch: Scratch,
): ParquetGroup | undefined {
  const writer = scratch.cached('parquet', () => new ColumnChunks())
  const sink = new ByteSink(Buffer.allocUnsafeSlow(1024 + columns.length * rows * CELL_BYTES))
  const chunks: ChunkFacts[] = []
  let left = rows > 1 ? MAX_GROUP_BYTES : Number.POSITIVE_INFINITY
  for (const column of columns) {
    const facts = writer.write(column, sink, left)
    left -= facts?.uncompressed ?? 0
    if (!facts || left < 0) return undefined
    chunks.push(facts)
  }
  return { bytes: sink.take(), chunks }
}

function valuesOf(
  leaf: LeafNode,
  type: 'text' | 'integer' | 'double',
  table: ColumnRows,
): CodedValues {
  const { dictionary, numbers } = leaf.column!
  if (type !== 'text') {
    const numberOf = (code: number) => numbers?.[code - 1] ?? Number(dictionary.text(code))
    return {
      most: dictionary.size,
      write: (codes, sink, most) => writeNumbers(codes, sink, { type, numberOf, most }),
    }
  }
  const cells = table.cells('plain')(leaf)
  return {
    most: dictionary.size,
    write(codes, sink, most) {
      const end = sink.length + most
      const places = new Uint32Array(Math.min(BLOCK_TEXTS, codes.length))
      for (let start = 0; start < codes.length; start += BLOCK_TEXTS) {
        const part = codes.subarray(start, start + BLOCK_TEXTS)
        const { length } = part
        places.fill(0)
        cells.measure(part, places)
        const lengths = places.slice(0, length)
        let bytes = LENGTH_BYTES * length
        for (let i = 0; i < length; i++) {
          bytes += lengths[i]!
          places[i]! += LENGTH_BYTES
        }
        if (sink.length + bytes > end) return false
        placesOf(places, length, sink)
        const { view } = sink
        for (let i = 0; i < length; i++) {
          view.setUint32(places[i]!, lengths[i]!, true)
          places[i]! += LENGTH_BYTES
        }
        cells.touch?.(part)
        cells.place(part, places, view)
      }
      return true
    },
  }
}

interface Numbers {
  readonly type: 'integer' | 'double'
  readonly numberOf: (code: number) => number
  /** Maximum size in bytes. */
  readonly most: number
}

function writeNumbers(
  codes: Uint32Array,
  sink: ByteSink,
  { type, numberOf, most }: Numbers,
): boolean {
  if (NUMBER_BYTES * codes.length > most) return false
  let to = sink.skip(NUMBER_BYTES * codes.length)
  const { view } = sink
  for (let i = 0; i < codes.length; i++, to += NUMBER_BYTES) {
    const number = numberOf(codes[i]!)
    if (type === 'double') view.setFloat64(to, number, true)
    else {
      // Setting 32 bits keeps the low ones of a safe integer.
      view.setInt32(to, number, true)
      view.setInt32(to + 4, Math.floor(number / 2 ** 32), true)
    }
  }
  return true
}

/** Gives the values of a column of documents codes, in the order in which they appear. */
function codedColumn(
  type: TypedColumn['type'],
  tables: readonly Table[],
  { column, length }: { readonly column: number; readonly length: number },
): CodedColumn {
  const codes = new Uint32Array(length)
  const known = new Map<unknown, number>()
  const texts: Buffer[] = []
  const numbers: number[] = []
  let row = 0
  const codeOf = (value: unknown): number => {
    if (value === null) return 0
    if (type === 'boolean') return value === true ? 2 : 1
    const seen = known.get(value)
    if (seen !== undefined) return seen
    known.set(value, known.size + 1)
    if (type === 'text') texts.push(Buffer.from(String(value)))
    else numbers.push(Number(value))
    return known.size
  }
  for (const table of tables) {
    for (const value of table.getChildAt(column) ?? []) codes[row++] = codeOf(value)
  }
  if (type === 'boolean') return { type, codes, values: undefined }
  return {
    type,
    codes,
    values: {
      most: known.size,
      write(seen, sink, most) {
        if (type !== 'text') {
          return writeNumbers(seen, sink, { type, numberOf: (code) => numbers[code - 1]!, most })
        }
        const end = sink.length + most
        for (const code of seen) {
          const text = texts[code - 1]!
          if (sink.length + LENGTH_BYTES + text.length > end) return false
          const at = sink.skip(LENGTH_BYTES)
          sink.view.setUint32(at, text.length, true)
          sink.bytes(text)
        }
        return true
      },
    },
  }
}
