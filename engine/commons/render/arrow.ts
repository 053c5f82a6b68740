import {
  type Data,
  Field,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from 'apache-arrow'
import { Flattening, type Scalar } from '../../shared/formats/flatten.ts'
import { arrowColumn, arrowType } from './arrow-columns.ts'
import { ARROW_END } from './arrow-end.ts'
import type { TypedColumn } from './columns.ts'
import type { Hit } from './hit.ts'

export interface ArrowOptions {
  readonly columns: readonly TypedColumn[]
  readonly rows: number
  readonly first: boolean
}

/**
 * Renders a chunk of an Arrow IPC stream: one record batch, or none if there are no hits. The first chunk begins
 * with the schema. The stream consists of all chunks in order, followed by ARROW_END.
 */
export function arrowChunk(hits: Iterable<Hit>, options: ArrowOptions): Uint8Array<ArrayBuffer> {
  const { columns, rows, first } = options
  const schema = new Schema(columns.map(({ key, type }) => new Field(key, arrowType(type), true)))
  return batchChunk(schema, rows > 0 ? vectorsOf(hits, options) : [], { rows, first })
}

/** Encodes finished columns as a chunk of an IPC stream, like `arrowChunk` does for hits. */
export function batchChunk(
  schema: Schema,
  children: Data[],
  { rows, first }: Pick<ArrowOptions, 'rows' | 'first'>,
): Uint8Array<ArrayBuffer> {
  const writer = new RecordBatchStreamWriter()
  writer.reset(undefined, schema)
  if (rows > 0) {
    const type = new Struct(schema.fields)
    const data = makeData({ type, length: rows, nullCount: 0, children })
    writer.write(new RecordBatch(schema, data))
  }
  writer.finish()
  const stream = writer.toUint8Array(true)
  // The schema message has no body: a continuation mark, the length of the metadata, and the metadata.
  const head = 8 + new DataView(stream.buffer, stream.byteOffset).getUint32(4, true)
  return stream.slice(first ? 0 : head, stream.length - ARROW_END.length)
}

function vectorsOf(hits: Iterable<Hit>, { columns, rows }: ArrowOptions): Data[] {
  const flattening = new Flattening(columns.map(({ key }) => key))
  const writers = columns.map(({ type }) => arrowColumn(type, rows))
  let row = 0
  const see = (column: number, value: Scalar) => {
    if (value !== null) writers[column]?.put(row, value)
  }
  for (const hit of hits) {
    flattening.flatten(hit, see)
    row++
  }
  return writers.map((writer) => writer.finish())
}
