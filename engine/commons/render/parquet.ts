import { EngineError } from '../../shared/errors.ts'
import { PARQUET_MAGIC, ParquetFooter } from '../../shared/formats/parquet/footer.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import type { Chunk, ChunkRenderer } from './chunks.ts'
import { ColumnUnion, type TypedColumn } from './columns.ts'
import type { RenderContext } from './context.ts'
import type { ParquetGroup } from './parquet-group.ts'
import type { Projection } from './projection.ts'
import { typedColumns } from './tables.ts'

/** Maximum number of columns. A row group has MIN_GROUP_ROWS of each in memory. */
export const MAX_PARQUET_COLUMNS = 2000
/** Cells of a row group, which one job writes. */
const GROUP_CELLS = 512 << 10
const MIN_GROUP_ROWS = 2048
const MAX_GROUP_ROWS = 64 << 10
/** The others have this many times the rows of the first row group, so that the first bytes are made soon. */
const TIMES_FIRST = 8
/** Maximum number of column chunks. The footer, which is in memory, takes some hundred bytes of each. */
export const MAX_PARQUET_CHUNKS = 250_000

const CREATED_BY = 'casemill'

/** The parts of a Parquet file that was written once. Equal requests on a release have equal files. */
export interface ParquetLayout {
  readonly columns: readonly TypedColumn[]
  /** Offset of each row group, and of the footer. */
  readonly offsets: readonly number[]
  /** First row of each row group. */
  readonly starts: readonly number[]
  readonly footer: Uint8Array
  /** Bytes of the file. */
  readonly size: number
}

export interface ParquetOptions {
  /** The layout, if the file was written before. */
  readonly layout?: ParquetLayout | undefined
  /** Bytes to write of a file with a layout. Row groups outside are not made. */
  readonly span?: ByteSpan | undefined
  /** Called at the end of a whole file. */
  readonly onLayout?: ((layout: ParquetLayout) => void) | undefined
}

/**
 * Yields a Parquet file with the columns of the TSV, one row group after the other, so that no more than some of them
 * are in memory. Bytes depend on the rows alone, not on where they are read from.
 * @throws EngineError too_many for too many columns; too_large for too many column chunks, after the first bytes if
 *   long values make them so many; and the errors of the chunks
 */
export async function* renderParquet(
  chunks: ChunkRenderer,
  { projection, rows }: { readonly projection: Projection; readonly rows: number },
  context: RenderContext,
  { layout, span, onLayout }: ParquetOptions = {},
): AsyncGenerator<Uint8Array, undefined> {
  const table = layout ? { columns: layout.columns, cut: [] } : await columnsOf(chunks, projection)
  const { columns } = table
  const all = layout ? groupsFrom(layout.starts, rows) : groupsOf(rows, columns.length)
  const offsets: number[] = []
  const starts: number[] = []
  let at: number = PARQUET_MAGIC.length
  const wanted = span ?? { start: 0, end: Number.POSITIVE_INFINITY }
  const first = layout ? groupAt(layout.offsets, wanted.start) : 0
  const behind = layout ? groupAt(layout.offsets, wanted.end - 1) + 1 : all.length
  if (layout) at = layout.offsets[first] ?? layout.size
  const footer = new ParquetFooter(columns, CREATED_BY)
  yield* within(PARQUET_MAGIC, 0, wanted)
  const groups = all.slice(first, behind)
  let number = first
  for await (const group of groupsIn(chunks, groups, { ...table, context })) {
    const { bytes, chunks: facts, start, end } = group
    if (layout && bytes.length !== layout.offsets[number + 1]! - at) {
      throw new Error('a row group has another length than before')
    }
    number++
    offsets.push(at)
    starts.push(start)
    if (!layout) {
      expectFew(starts.length, columns.length)
      footer.add(facts, { rows: end - start, offset: at })
    }
    yield* within(bytes, at, wanted)
    at += bytes.length
  }
  const end = layout?.footer ?? footer.bytes()
  const footerAt = layout ? layout.size - end.length : at
  yield* within(end, footerAt, wanted)
  if (layout) return
  offsets.push(at)
  onLayout?.({ columns, offsets, starts, footer: end, size: at + end.length })
}

/** Number of the row group that has a byte. Those of the mark in front are the first one's. */
function groupAt(offsets: readonly number[], byte: number): number {
  const next = offsets.findIndex((offset) => offset > byte)
  return next < 0 ? offsets.length - 1 : Math.max(next - 1, 0)
}

/** Yields the part of bytes that is in a span. */
function* within(bytes: Uint8Array, at: number, { start, end }: ByteSpan): Generator<Uint8Array> {
  const part = bytes.subarray(Math.max(start - at, 0), Math.max(end - at, 0))
  if (part.length > 0) yield part
}

/** Finds the columns of all rows, and cuts the rows into chunks of a few milliseconds. */
async function columnsOf(chunks: ChunkRenderer, projection: Projection) {
  const union = new ColumnUnion()
  const cut: Chunk[] = []
  for await (const { start, end, columns = [] } of chunks.all(() => ({ kind: 'columns' }))) {
    cut.push({ start, end })
    union.add(columns)
  }
  const typed = typedColumns(union, projection)
  if (typed.length > MAX_PARQUET_COLUMNS) throw tooWide(typed.length)
  // Parquet requires at least one column. A result without columns gets an empty `id` column.
  const columns = typed.length > 0 ? typed : [{ key: 'id', type: 'text' } as const]
  return { columns, cut }
}

/** Cuts rows into row groups, which depend on the number of rows and columns alone. */
function groupsOf(rows: number, columns: number): Chunk[] {
  const most = Math.max(Math.floor(GROUP_CELLS / columns), MIN_GROUP_ROWS)
  const size = Math.min(most, MAX_GROUP_ROWS)
  const first = Math.ceil(size / TIMES_FIRST)
  const count = rows > 0 ? Math.ceil((rows + size - first) / size) : 0
  expectFew(count, columns)
  const starts = Array.from({ length: count }, (_, i) => Math.max(first + (i - 1) * size, 0))
  return groupsFrom(starts, rows)
}

const groupsFrom = (starts: readonly number[], rows: number): Chunk[] =>
  starts.map((start, i) => ({ start, end: starts[i + 1] ?? rows }))

function expectFew(groups: number, columns: number): void {
  if (groups * columns > MAX_PARQUET_CHUNKS) throw tooLong(groups, columns)
}

interface Grouping {
  readonly columns: readonly TypedColumn[]
  /** Chunks of a few milliseconds, for rows that are read from documents. */
  readonly cut: readonly Chunk[]
  readonly context: RenderContext
}

/** A row group and its rows. */
type WrittenGroup = ParquetGroup & Chunk

/** Writes row groups. Those that would have too many bytes are halved until they have not. */
async function* groupsIn(
  chunks: ChunkRenderer,
  groups: readonly Chunk[],
  grouping: Grouping,
): AsyncGenerator<WrittenGroup, undefined> {
  if (!chunks.isCheap) {
    yield* groupsOfDocuments(chunks, groups, grouping)
    return
  }
  const { columns } = grouping
  for await (const { start, end, bytes, facts } of chunks.each(groups, () => ({
    kind: 'group',
    columns,
  }))) {
    if (facts) yield { start, end, bytes, chunks: facts }
    else yield* groupsIn(chunks, halvesOf({ start, end }), grouping)
  }
}

function halvesOf({ start, end }: Chunk): Chunk[] {
  const middle = Math.ceil((start + end) / 2)
  return [
    { start, end: middle },
    { start: middle, end },
  ]
}

/** Documents are read in small chunks, as Arrow batches, which another job makes a row group of. */
async function* groupsOfDocuments(
  chunks: ChunkRenderer,
  groups: readonly Chunk[],
  grouping: Grouping,
): AsyncGenerator<WrittenGroup, undefined> {
  const { columns, cut, context } = grouping
  const { executor, scratch, signal } = context
  const { groupOfBatches, parquetGroupJob } = await import('./parquet-group.ts')
  const write = (batches: readonly Uint8Array[]) =>
    chunks.isInline
      ? groupOfBatches({ columns, batches }, scratch)
      : executor.run(parquetGroupJob, { columns, batches }, { signal, priority: 1 })
  const parts = groups.flatMap((group) => cutWithin(group, cut))
  let batches: Uint8Array[] = []
  const rest = groups.values()
  let group = rest.next().value
  for await (const { end, bytes } of chunks.each(parts, () => ({
    kind: 'arrow',
    columns,
    first: true,
  }))) {
    batches.push(bytes)
    if (!group || end !== group.end) continue
    const written = await write(batches)
    batches = []
    if (written) yield { ...written, ...group }
    else yield* groupsOfDocuments(chunks, halvesOf(group), grouping)
    group = rest.next().value
  }
}

const CUT_ROWS = 256

/** Cuts a row group into chunks, none of which is longer than one that was rendered before. */
function cutWithin({ start, end }: Chunk, cut: readonly Chunk[]): Chunk[] {
  const within = cut.filter((chunk) => chunk.end > start && chunk.start < end)
  if (within.length > 0) {
    return within.map((chunk) => ({
      start: Math.max(chunk.start, start),
      end: Math.min(chunk.end, end),
    }))
  }
  const parts: Chunk[] = []
  for (let at = start; at < end; at += CUT_ROWS) {
    parts.push({ start: at, end: Math.min(at + CUT_ROWS, end) })
  }
  return parts
}

const NARROWER = 'ask for fewer groups and fields by expand and fields, or for another format'

function tooWide(columns: number): EngineError {
  const message = `the answer has ${columns} columns, and Parquet takes at most ${MAX_PARQUET_COLUMNS}; ${NARROWER}`
  return new EngineError('too_many', message, { at: 'format' })
}

function tooLong(groups: number, columns: number): EngineError {
  const message = `the answer has ${groups} row groups of ${columns} columns, and Parquet takes at most ${MAX_PARQUET_CHUNKS} parts of columns; ask for fewer records by size and from, or for another format`
  return new EngineError('too_large', message, { at: 'format' })
}
