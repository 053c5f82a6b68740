import { Bool, type Data, type DataType, Float64, Int64, makeData, Utf8 } from 'apache-arrow'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { Scalar } from '../../shared/formats/flatten.ts'
import type { Cells } from './cells.ts'
import { placesOf } from './column-rows.ts'
import type { ColumnType } from './columns.ts'

type Present = Exclude<Scalar, null>

/** Builds a column of a record batch. Add values in ascending row order. Rows without a value become null. */
export interface ArrowColumn {
  put(row: number, value: Present): void
  finish(): Data
}

export function arrowType(type: ColumnType): DataType {
  switch (type) {
    case 'text':
      return new Utf8()
    case 'boolean':
      return new Bool()
    case 'integer':
      return new Int64()
    case 'double':
      return new Float64()
  }
}

/** Creates a column. Values must fit the type, like those of `columnType`. */
export function arrowColumn(type: ColumnType, length: number): ArrowColumn {
  switch (type) {
    case 'text':
      return textColumn(length)
    case 'boolean':
      return booleanColumn(length)
    case 'integer': {
      const data = new BigInt64Array(length)
      // A safe integer is written as two 32-bit words, which is many times faster than creating a BigInt.
      const words = new Int32Array(data.buffer)
      const put = (row: number, value: Present) => {
        const number = Number(value)
        words[2 * row] = number
        words[2 * row + 1] = Math.floor(number / 2 ** 32)
      }
      return column(length, put, (nulls) => makeData({ type: new Int64(), data, ...nulls }))
    }
    case 'double': {
      const data = new Float64Array(length)
      const put = (row: number, value: Present) => {
        data[row] = Number(value)
      }
      return column(length, put, (nulls) => makeData({ type: new Float64(), data, ...nulls }))
    }
  }
}

function booleanColumn(length: number): ArrowColumn {
  const data = new Uint8Array((length + 7) >> 3)
  const put = (row: number, value: Present) => {
    if (value === true) setBit(data, row)
  }
  return column(length, put, (nulls) => makeData({ type: new Bool(), data, ...nulls }))
}

interface ArrowTextColumn extends ArrowColumn {
  /** Writes the values of consecutive rows, given their codes. Code 0 means no value. */
  write(codes: Uint32Array, first: number, cells: Cells): void
}

/** Maximum number of bytes to reserve for the texts of one column. It is the target size of a chunk. */
const MAX_AHEAD_BYTES = 1 << 20

/** Collects the texts of a column of `length` rows in the layout of Arrow. */
export function textColumn(length: number): ArrowTextColumn {
  let sink = new ByteSink(Buffer.alloc(0))
  const valueOffsets = new Int32Array(length + 1)
  const ends = new Uint32Array(length)
  let filled = 0
  const startAt = (row: number) => {
    while (filled <= row) valueOffsets[filled++] = sink.length
  }
  const put = (row: number, value: Present) => {
    startAt(row)
    sink.text(typeof value === 'string' ? value : String(value))
  }
  const finish = (nulls: Nulls) => {
    valueOffsets.fill(sink.length, filled)
    return makeData({ type: new Utf8(), data: sink.written, valueOffsets, ...nulls })
  }
  const { markAll, ...own } = column(length, put, finish)
  return {
    ...own,
    write(codes, first, cells) {
      const places = ends.subarray(first, first + codes.length)
      cells.measure(codes, places)
      if (sink.length === 0) sink = new ByteSink(Buffer.allocUnsafeSlow(aheadBytes(places, length)))
      placesOf(places, codes.length, sink)
      // Earlier rows without a value end where the first of these values begins.
      valueOffsets.fill(places[0]!, filled, first)
      valueOffsets.set(places, first)
      filled = first + codes.length
      cells.touch?.(codes)
      cells.place(codes, places, sink.view)
      markAll(codes, first)
    },
  }
}

/** Estimates the total length of a column's texts from the lengths in the first rows, plus 10%. */
function aheadBytes(lengths: Uint32Array, rows: number): number {
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  return Math.min(Math.ceil((bytes * 1.1 * rows) / lengths.length), MAX_AHEAD_BYTES)
}

interface Nulls {
  readonly length: number
  readonly nullCount: number
  readonly nullBitmap: Uint8Array
}

/** Adds the validity bitmap to a column. */
function column(
  length: number,
  put: ArrowColumn['put'],
  finish: (nulls: Nulls) => Data,
): ArrowColumn & { markAll(codes: Uint32Array, first: number): void } {
  const nullBitmap = new Uint8Array((length + 7) >> 3)
  let nullCount = length
  return {
    put(row, value) {
      put(row, value)
      setBit(nullBitmap, row)
      nullCount--
    },
    /** Marks the rows whose code is not 0 as present. */
    markAll(codes, first) {
      for (let i = 0; i < codes.length; i++) {
        if (codes[i] === 0) continue
        nullBitmap[(first + i) >> 3]! |= 1 << ((first + i) & 7)
        nullCount--
      }
    },
    finish: () => finish({ length, nullCount, nullBitmap }),
  }
}

function setBit(bits: Uint8Array, place: number): void {
  bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
}
