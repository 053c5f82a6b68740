import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { TableForm } from '../../shared/formats/table-cells.ts'
import { ChunkRenderer, type RenderedChunk } from './chunks.ts'
import { type RenderContext, sourceFor } from './context.ts'
import { CopiedMembers } from './copied-members.ts'
import { type Envelope, type Frame, frameOf } from './frame.ts'
import { type ParquetOptions, renderParquet } from './parquet.ts'
import type { Projection } from './projection.ts'
import { writeSheetHeader } from './sample-sheet.ts'
import { renderArrow, renderTable } from './tables.ts'

export type BodyFormat = TableForm | 'json' | 'ndjson' | 'xml' | 'arrow' | 'parquet'

export interface BodyRequest {
  readonly projection: Projection
  /** Rows of the records in this response, in order. */
  readonly rows: Uint32Array
  readonly format: BodyFormat
  /** Whether to indent JSON by two spaces and XML by one tab per level. Other formats ignore it. */
  readonly pretty?: boolean
  readonly envelope: Envelope
  /** Whether to write JSON as a bare array of records, without the envelope. Other formats ignore it. */
  readonly isBare?: boolean | undefined
  /** Writes a sample sheet instead of the format. The projection must have the SHEET_FIELDS of files. */
  readonly isSheet?: boolean | undefined
  /** Score of each row, which JSON, TSV and CSV print as `_score`. */
  readonly scores?: Uint32Array
  /** Called with the number of columns of a TSV or CSV before its first line is written. */
  readonly onColumns?: ((count: number) => void) | undefined
}

/**
 * Yields the body of a list response (data-commons.md 3.1, 3.5, 3.6). It needs memory for a few chunks of about
 * 1 MiB. Tables take two passes, because the header has the columns of all rows. Rendering stops when the signal
 * aborts.
 *
 * @throws EngineError corrupt_source if a document is damaged; busy if too much work is waiting
 */
export async function* renderBody(
  request: BodyRequest,
  context: RenderContext,
): AsyncGenerator<Uint8Array, undefined> {
  const { projection, rows, format, envelope, pretty = false, isBare = false } = request
  const { scores, onColumns, isSheet = false } = request
  const isPlain = !isSheet && !scores && format !== 'xml' && !(format === 'json' && pretty)
  const handles = await sourceFor({ projection, rows: rows.length, isPlain }, context)
  const isJson = format === 'json' || format === 'ndjson'
  const isCopied = isPlain && isJson && CopiedMembers.canCopy(projection, rows)
  const chunks = new ChunkRenderer(projection, rows, handles, context, { isCopied })
  const frame = { envelope, pretty, isBare, empty: rows.length === 0 }
  if (isSheet) {
    const sink = new ByteSink(Buffer.allocUnsafe(1024))
    writeSheetHeader(sink)
    yield sink.take()
    for await (const { bytes } of chunks.all(() => ({ kind: 'sheet' }))) yield bytes
    return
  }
  switch (format) {
    case 'json':
      yield* framed(
        await frameOf({ format, ...frame }, context),
        chunks.all(({ start, end }) => {
          const first = start === 0
          return { kind: 'json', pretty, isBare, first, scores: scores?.slice(start, end) }
        }),
        rows.length,
      )
      return
    case 'xml':
      yield* framed(
        await frameOf({ format, ...frame }, context),
        chunks.all(() => ({ kind: 'xml', pretty })),
        rows.length,
      )
      return
    case 'ndjson':
      for await (const { bytes } of chunks.all(() => ({ kind: 'ndjson' }))) yield bytes
      return
    case 'tsv':
    case 'csv':
      yield* renderTable(chunks, { form: format, scores, onColumns })
      return
    case 'arrow':
      yield* renderArrow(chunks, projection)
      return
    case 'parquet':
      yield* renderParquet(chunks, { projection, rows: rows.length }, context)
      return
  }
}

/** Yields rows as a Parquet file, or a part of one. */
export async function* parquetOf(
  { projection, rows }: Pick<BodyRequest, 'projection' | 'rows'>,
  context: RenderContext,
  options: ParquetOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const handles = await sourceFor({ projection, rows: rows.length, isPlain: true }, context)
  const chunks = new ChunkRenderer(projection, rows, handles, context)
  yield* renderParquet(chunks, { projection, rows: rows.length }, context, options)
}

/** Joins head and tail with the adjacent chunks, so that a small page is written at once. */
async function* framed(
  { head, tail }: Frame,
  chunks: AsyncIterable<RenderedChunk>,
  rows: number,
): AsyncGenerator<Uint8Array, undefined> {
  if (rows === 0) yield* writesOf([head, ...tail])
  for await (const { start, end, bytes } of chunks) {
    yield* writesOf([...(start === 0 ? [head] : []), bytes, ...(end === rows ? tail : [])])
  }
}

/** Maximum number of bytes per write. */
const CHUNK_BYTES = 1 << 20

/** Joins small parts into one chunk, and splits large parts. */
function* writesOf(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length <= 2 * CHUNK_BYTES) {
    yield parts.length > 1 ? Buffer.concat(parts, length) : (parts[0] as Uint8Array)
    return
  }
  for (const part of parts) {
    for (let at = 0; at < part.length; at += CHUNK_BYTES) {
      yield part.subarray(at, at + CHUNK_BYTES)
    }
  }
}
