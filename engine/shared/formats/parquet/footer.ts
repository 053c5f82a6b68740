import { ByteSink } from '../byte-sink.ts'
import type { ChunkFacts, ParquetType } from './column-chunk.ts'
import { ENCODINGS, OPTIONAL, ZSTD } from './numbers.ts'
import { type ThriftStruct, writeBinary, writeStruct, writeVarint } from './thrift.ts'

export const PARQUET_MAGIC = Uint8Array.from(Buffer.from('PAR1'))

const PHYSICAL = { boolean: 0, integer: 2, double: 5, text: 6 } as const
/** Older names of types, for readers that do not know the newer ones. */
const CONVERTED = { text: 0, integer: 18 } as const
const LOGICAL = { text: 1, integer: 10 } as const
const INTEGER_BITS = 64
const LENGTH_BYTES = 4

interface ParquetColumn {
  /** The name. A dot in it has no meaning. */
  readonly key: string
  readonly type: ParquetType
}

/** Collects what the end of a Parquet file says about its row groups. */
export class ParquetFooter {
  readonly #columns: readonly (ParquetColumn & { readonly name: Uint8Array })[]
  readonly #groups = new ByteSink(Buffer.allocUnsafe(1 << 12))
  readonly #createdBy: string
  #count = 0
  #rows = 0

  constructor(columns: readonly ParquetColumn[], createdBy: string) {
    this.#columns = columns.map((column) => ({ ...column, name: Buffer.from(column.key) }))
    this.#createdBy = createdBy
  }

  /** Adds a row group, whose column chunks are one after the other from this offset in the file on. */
  add(
    chunks: readonly ChunkFacts[],
    { rows, offset }: { readonly rows: number; readonly offset: number },
  ): void {
    const sink = this.#groups
    const sum = (size: 'compressed' | 'uncompressed') =>
      chunks.reduce((total, chunk) => total + chunk[size], 0)
    writeStruct(sink, (group) => {
      group.list(1, 'struct', chunks.length)
      let at = offset
      for (const [i, chunk] of chunks.entries()) {
        const column = this.#columns[i]!
        const start = at
        writeStruct(sink, (one) => {
          one.i64(2, 0)
          one.struct(3, (facts) => this.#chunk(facts, { column, chunk, start, rows }))
        })
        at += chunk.compressed
      }
      group.i64(2, sum('uncompressed'))
      group.i64(3, rows)
      group.i64(5, offset)
      group.i64(6, sum('compressed'))
    })
    this.#count++
    this.#rows += rows
  }

  #chunk(
    facts: ThriftStruct,
    {
      column,
      chunk,
      start,
      rows,
    }: {
      readonly column: { readonly type: ParquetType; readonly name: Uint8Array }
      readonly chunk: ChunkFacts
      readonly start: number
      readonly rows: number
    },
  ): void {
    const sink = this.#groups
    const { dictionary, range } = chunk
    facts.i32(1, PHYSICAL[column.type])
    const encodings = [
      ENCODINGS.plain,
      ENCODINGS.levels,
      ...(dictionary > 0 ? [ENCODINGS.dictionary] : []),
    ]
    facts.list(2, 'i32', encodings.length)
    for (const encoding of encodings) writeVarint(sink, 2 * encoding)
    facts.list(3, 'binary', 1)
    writeBinary(sink, column.name)
    facts.i32(4, ZSTD)
    facts.i64(5, rows)
    facts.i64(6, chunk.uncompressed)
    facts.i64(7, chunk.compressed)
    facts.i64(9, start + dictionary)
    if (dictionary > 0) facts.i64(11, start)
    facts.struct(12, (statistics) => {
      statistics.i64(3, chunk.nulls)
      if (!range) return
      const [least, greatest] = range
      statistics.binary(5, greatest)
      statistics.binary(6, least)
    })
  }

  /** Returns the end of the file, from the footer to the mark. */
  bytes(): Uint8Array<ArrayBuffer> {
    const sink = new ByteSink(Buffer.allocUnsafe(this.#groups.length + 1024))
    const columns = this.#columns
    writeStruct(sink, (file) => {
      file.i32(1, 1)
      file.list(2, 'struct', columns.length + 1)
      writeStruct(sink, (root) => {
        root.binary(4, Buffer.from('schema'))
        root.i32(5, columns.length)
      })
      for (const { name, type } of columns)
        writeStruct(sink, (element) => field(element, name, type))
      file.i64(3, this.#rows)
      file.list(4, 'struct', this.#count)
      sink.bytes(this.#groups.written)
      file.binary(6, Buffer.from(this.#createdBy))
      // Each column is in the order of its type, which makes its statistics valid.
      file.list(7, 'struct', columns.length)
      for (const _ of columns) writeStruct(sink, (order) => order.struct(1, () => {}))
    })
    const { length } = sink
    sink.skip(LENGTH_BYTES)
    sink.view.setUint32(length, length, true)
    sink.bytes(PARQUET_MAGIC)
    return sink.take()
  }
}

function field(element: ThriftStruct, name: Uint8Array, type: ParquetType): void {
  element.i32(1, PHYSICAL[type])
  element.i32(3, OPTIONAL)
  element.binary(4, name)
  if (type !== 'text' && type !== 'integer') return
  element.i32(6, CONVERTED[type])
  element.struct(10, (logical) => {
    logical.struct(LOGICAL[type], (inside) => {
      if (type === 'text') return
      inside.byte(1, INTEGER_BITS)
      inside.boolean(2, true)
    })
  })
}
