import type { Job, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { ChunkFacts } from '../../shared/formats/parquet/column-chunk.ts'
import type { TableForm } from '../../shared/formats/table-cells.ts'
import { WORK_BYTES } from '../release/chunk-buffers.ts'
import { ColumnRows } from './column-rows.ts'
import type { SeenColumn, TypedColumn } from './columns.ts'
import { CopiedMembers } from './copied-members.ts'
import type { Hit } from './hit.ts'
import { type Projection, printedTypes } from './projection.ts'
import { Projector } from './projector.ts'
import { openRecords, type RecordHandles } from './records.ts'
import { writeSheetLines } from './sample-sheet.ts'
import { type JsonForm, writeJson, writeLines, writeXml } from './write-hits.ts'
import { seeColumns, writeOwnTable, writeTable } from './write-table.ts'

const TARGET_BYTES = 1 << 20
const TARGET_BYTES_PER_ROW = 4096
/** Cost of looking at one cell, in units of bytes written. */
const CELL_WORK = 2
const COMMA = 0x2c
const LF = 0x0a

/** Output format of a chunk. */
export type ChunkFormat =
  | ({ readonly kind: 'json' } & JsonForm)
  | { readonly kind: 'ndjson' }
  /** Lines of a sample sheet. The records must be files. */
  | { readonly kind: 'sheet' }
  | { readonly kind: 'xml'; readonly pretty: boolean }
  /** Lines of a table. Without `columns`, the chunk has the columns of its own records and returns their names. */
  | (Scored & {
      readonly kind: 'table'
      readonly form: TableForm
      readonly columns?: readonly string[]
    })
  /** Finds the columns of the records without writing anything. */
  | (Scored & { readonly kind: 'columns' })
  | { readonly kind: 'arrow'; readonly columns: readonly TypedColumn[]; readonly first: boolean }
  /** A row group of a Parquet file, from columns only. */
  | { readonly kind: 'group'; readonly columns: readonly TypedColumn[] }

/** Score of each record, which becomes a column. Undefined if there are no scores. */
interface Scored {
  readonly scores?: Uint32Array | undefined
}

export interface ChunkInput extends RecordHandles {
  readonly projection: Projection
  readonly rows: Uint32Array
  readonly format: ChunkFormat
  /** Shared memory to which the bytes are written if they fit. */
  readonly target?: Uint8Array | undefined
}

export interface ChunkOutput {
  /** Bytes in the target of the input, or in memory of their own. */
  readonly bytes: Uint8Array
  readonly columns?: readonly SeenColumn[]
  /** Facts of the column chunks of a row group. Undefined if it would be too large, so that nothing is written. */
  readonly facts?: readonly ChunkFacts[]
  /** Cost of the chunk: bytes written or characters of documents read, whichever is more. */
  readonly work: number
}

/**
 * Renders one chunk of a response.
 * @throws EngineError corrupt_source if a document is damaged
 */
export async function renderChunk(input: ChunkInput, scratch: Scratch): Promise<ChunkOutput> {
  const { plan, loaded, target } = input
  if (plan) {
    const table = new ColumnRows(plan, loaded, scratch, target)
    const written = target?.subarray(0, target.length - WORK_BYTES)
    return renderColumns({ ...input, target: written }, table, scratch)
  }
  const { projection, rows, format } = input
  const copied = copyMembers(input, scratch)
  if (copied) return copied
  const projector = new Projector(openRecords(input, scratch))
  const hits = projector.hits(projection, rows)
  if (format.kind === 'arrow') {
    // Imported only when needed, because loading the Arrow library takes 0.1 seconds.
    const { arrowChunk } = await import('./arrow.ts')
    const bytes = putInto(target, arrowChunk(hits, { ...format, rows: rows.length }))
    return { bytes, work: Math.max(bytes.length, projector.characters) }
  }
  const likely = Math.min(TARGET_BYTES, TARGET_BYTES_PER_ROW * rows.length)
  const written = writtenTo(target, { likely, scratch }, (sink) =>
    writeHits(hits, sink, { projection, format }),
  )
  return { ...written, work: Math.max(written.work, projector.characters) }
}

/** Renders records as JSON by copying members of documents. Returns undefined if they have to be parsed. */
function copyMembers(
  { projection, rows, format, documents, target }: ChunkInput,
  scratch: Scratch,
): ChunkOutput | undefined {
  const isPlainJson = format.kind === 'json' && !format.pretty && !format.scores
  if (!isPlainJson && format.kind !== 'ndjson') return undefined
  const handle = documents[projection.dataset]
  if (!handle || !CopiedMembers.canCopy(projection, rows)) return undefined
  const members = new CopiedMembers(projection)
  let characters = 0
  const likely = Math.min(TARGET_BYTES, TARGET_BYTES_PER_ROW * rows.length)
  const written = writtenTo(target, { likely, scratch }, (sink) => {
    if (format.kind === 'json' && !format.first) sink.byte(COMMA)
    const behind = format.kind === 'json' ? COMMA : LF
    characters = members.write(rows, sink, { handle, scratch, behind })
    // Removes the comma after the last object.
    if (format.kind === 'json' && rows.length > 0) sink.cutTo(sink.length - 1)
    return undefined
  })
  return { ...written, work: Math.max(written.work, characters) }
}

/** Renders a chunk from columns, without reading documents. Requests with scores never take this path. */
export async function renderColumns(
  input: Pick<ChunkInput, 'rows' | 'format' | 'target'>,
  table: ColumnRows,
  scratch: Scratch,
): Promise<ChunkOutput> {
  const { rows, format, target } = input
  if (format.kind === 'arrow') {
    const { arrowRows } = await import('./arrow-rows.ts')
    const bytes = putInto(target, arrowRows(table, rows, format))
    return { bytes, work: bytes.length }
  }
  if (format.kind === 'group') {
    const { groupOfRows } = await import('./parquet-group.ts')
    const group = groupOfRows(table, rows, { columns: format.columns, scratch })
    if (!group) return { bytes: new Uint8Array(0), work: 0 }
    return { bytes: group.bytes, facts: group.chunks, work: group.bytes.length }
  }
  if (format.kind === 'columns') {
    const columns = table.columns(rows)
    return { bytes: new Uint8Array(0), columns, work: rows.length * CELL_WORK * columns.length }
  }
  return writtenTo(target, { likely: TARGET_BYTES, scratch }, (sink) =>
    writeRows(table, sink, input),
  )
}

interface Writing {
  /** Number of bytes that are likely to be written. */
  readonly likely: number
  readonly scratch: Scratch
}

/** Returns the bytes in a sink. They are in the target if there is one and it is long enough. */
function writtenTo(
  target: Uint8Array | undefined,
  { likely, scratch }: Writing,
  write: (sink: ByteSink) => SeenColumn[] | undefined,
): ChunkOutput {
  const sink = new ByteSink(target ? bufferOf(target) : scratch.bytes('render', likely))
  const columns = write(sink)
  const { length: work } = sink
  const bytes = target ? sink.written : sink.take()
  return { bytes, ...(columns ? { columns } : {}), work }
}

/** Copies bytes to the target if they fit, which is faster than transferring memory of their own. */
function putInto(target: Uint8Array | undefined, bytes: Uint8Array): Uint8Array {
  if (!target || bytes.length > target.length) return bytes
  target.set(bytes)
  return target.subarray(0, bytes.length)
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

function writeRows(
  table: ColumnRows,
  sink: ByteSink,
  { rows, format }: Pick<ChunkInput, 'rows' | 'format'>,
): SeenColumn[] | undefined {
  switch (format.kind) {
    case 'json':
      if (!format.first) sink.byte(COMMA)
      table.objects(rows, sink, COMMA)
      // Removes the comma after the last object.
      if (rows.length > 0) sink.cutTo(sink.length - 1)
      return undefined
    case 'ndjson':
      table.objects(rows, sink, LF)
      return undefined
    case 'table': {
      const { form, columns } = format
      if (!columns) return table.ownLines(rows, sink, form)
      table.lines(rows, sink, { form, columns })
      return undefined
    }
    default:
      throw new TypeError(`columns are not written as ${format.kind}`)
  }
}

function writeHits(
  hits: Iterable<Hit>,
  sink: ByteSink,
  { projection, format }: Pick<ChunkInput, 'projection' | 'format'>,
): SeenColumn[] | undefined {
  switch (format.kind) {
    case 'json':
      writeJson(hits, sink, format)
      return undefined
    case 'ndjson':
      writeLines(hits, sink)
      return undefined
    case 'sheet':
      writeSheetLines(hits, sink)
      return undefined
    case 'xml':
      writeXml(hits, sink, format)
      return undefined
    case 'table': {
      const { form, columns, scores } = format
      const types = printedTypes(projection)
      if (scores) types.set(SCORE, 'double')
      if (!columns) return writeOwnTable(scored(hits, scores), sink, { form, types })
      writeTable(scored(hits, scores), sink, { form, columns, types })
      return undefined
    }
    case 'columns':
      return seeColumns(scored(hits, format.scores))
    case 'arrow':
    case 'group':
      return undefined
  }
}

const SCORE = '_score'

/** Adds the score to each record as a field, if there are scores. */
function scored(hits: Iterable<Hit>, scores: Uint32Array | undefined): Iterable<Hit> {
  return scores ? withScores(hits, scores) : hits
}

function* withScores(hits: Iterable<Hit>, scores: Uint32Array): Generator<Hit> {
  let place = 0
  for (const hit of hits) yield { ...hit, [SCORE]: scores[place++] }
}

export const chunkJob: Job<ChunkInput, ChunkOutput> = {
  name: 'render.chunk',
  run: renderChunk,
  transfer: ({ bytes: { buffer } }) => (buffer instanceof ArrayBuffer ? [buffer] : []),
}
