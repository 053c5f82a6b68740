import { ByteSink } from '../../shared/formats/byte-sink.ts'
import { orderColumns, type TableForm, writeLine } from '../../shared/formats/table-cells.ts'
import { ARROW_END } from './arrow-end.ts'
import type { ChunkFormat } from './chunk.ts'
import type { Chunk, ChunkRenderer } from './chunks.ts'
import { ColumnUnion, columnType, type TypedColumn, typeOfKey } from './columns.ts'
import { type Projection, printedTypes } from './projection.ts'
import { FIRST_COLUMN } from './write-table.ts'

/** Maximum size of lines that the first pass keeps in case all chunks have the same columns, in bytes. */
const CACHED_BYTES = 16 << 20

interface TextTable {
  readonly form: TableForm
  readonly scores?: Uint32Array | undefined
  /** Called with the number of columns before the first line is written. */
  readonly onColumns?: ((count: number) => void) | undefined
}

/**
 * Renders a header with the columns of all records, then one line per record. Without records, renders nothing.
 * The first pass finds the columns and writes lines, which are used if they fit in memory.
 */
export async function* renderTable(
  chunks: ChunkRenderer,
  { form, scores, onColumns = () => {} }: TextTable,
): AsyncGenerator<Uint8Array, undefined> {
  const scored = ({ start, end }: Chunk) => ({ scores: scores?.slice(start, end) })
  const union = new ColumnUnion()
  const cut: Chunk[] = []
  const cached = new Map<Chunk, { readonly bytes: Uint8Array; readonly columns: number }>()
  let cachedBytes = 0
  const first = chunks.all((chunk): ChunkFormat => {
    const isCached = !chunks.isCheap && cachedBytes < CACHED_BYTES
    return isCached
      ? { kind: 'table', form, ...scored(chunk) }
      : { kind: 'columns', ...scored(chunk) }
  })
  for await (const { start, end, bytes, columns = [] } of first) {
    const chunk = { start, end }
    cut.push(chunk)
    union.add(columns)
    if (bytes.length === 0) continue
    cached.set(chunk, { bytes: Uint8Array.from(bytes), columns: columns.length })
    cachedBytes += bytes.length
  }
  if (cut.length === 0) return
  const columns = orderColumns(union.keys(), FIRST_COLUMN)
  onColumns(columns.length)
  yield lineOf(columns, form)
  if (chunks.isCheap) {
    for await (const { bytes } of chunks.all(() => ({ kind: 'table', form, columns }))) yield bytes
    return
  }
  yield* chunks.again(
    cut,
    (chunk) => ({ kind: 'table', form, columns, ...scored(chunk) }),
    (chunk) => {
      const lines = cached.get(chunk)
      cached.delete(chunk)
      // The columns of a chunk are a subset of all columns, so equal numbers mean equal columns.
      return lines?.columns === columns.length ? lines.bytes : undefined
    },
  )
}

/** Renders an Arrow IPC stream with the columns of the TSV. Each chunk is one record batch. */
export async function* renderArrow(
  chunks: ChunkRenderer,
  projection: Projection,
): AsyncGenerator<Uint8Array, undefined> {
  const union = new ColumnUnion()
  const cut: Chunk[] = []
  for await (const { start, end, columns = [] } of chunks.all(() => ({ kind: 'columns' }))) {
    cut.push({ start, end })
    union.add(columns)
  }
  // A stream without records still contains the schema.
  if (cut.length === 0) cut.push({ start: 0, end: 0 })
  const columns = typedColumns(union, projection)
  if (chunks.isCheap && cut[0]?.end !== 0) {
    const batches = chunks.all(({ start }) => ({ kind: 'arrow', columns, first: start === 0 }))
    for await (const { bytes } of batches) yield bytes
    yield ARROW_END
    return
  }
  yield* chunks.again(cut, ({ start }) => ({ kind: 'arrow', columns, first: start === 0 }))
  yield ARROW_END
}

/** Returns all columns, typed by their fields and their values. */
export function typedColumns(union: ColumnUnion, projection: Projection): TypedColumn[] {
  const types = printedTypes(projection)
  const seen = new Set(union.keys())
  // Without records, the columns are the requested fields. Their names have no array positions.
  const keys = seen.size > 0 ? seen : new Set(types.keys())
  // The column `id` exists even without records.
  if (projection.id !== undefined) keys.add(FIRST_COLUMN)
  return orderColumns(keys, FIRST_COLUMN).map((key) => ({
    key,
    type: columnType(typeOfKey(types, key), union.kindsOf(key)),
  }))
}

function lineOf(columns: readonly string[], form: TableForm): Uint8Array {
  const sink = new ByteSink(Buffer.allocUnsafe(1024))
  writeLine(sink, columns, form)
  return sink.take()
}
