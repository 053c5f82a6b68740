import type { FileHandle } from 'node:fs/promises'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { TableForm } from '../../shared/formats/table-cells.ts'
import { ChunkRenderer, type RenderedChunk } from './chunks.ts'
import { type RenderContext, sourceFor } from './context.ts'
import { type Envelope, type Frame, frameOf } from './frame.ts'
import type { Projection } from './projection.ts'
import { writeSheetHeader } from './sample-sheet.ts'
import { renderArrow, renderTable } from './tables.ts'

export type BodyFormat = TableForm | 'json' | 'ndjson' | 'xml' | 'arrow' | 'parquet'

export interface BodyRequest {
  readonly projection: Projection
  /** The records of this answer, in their order. */
  readonly rows: Uint32Array
  readonly format: BodyFormat
  /** JSON with two blanks per level, XML with one tab; other formats have but one form. */
  readonly pretty?: boolean
  readonly envelope: Envelope
  /** JSON as the array of the records alone, without the envelope; no other format has one to leave out. */
  readonly isBare?: boolean | undefined
  /** A sample sheet of files whose SHEET_FIELDS the projection has, in place of the format. */
  readonly isSheet?: boolean | undefined
  /** Of each row, which JSON, TSV and CSV show as `_score`. */
  readonly scores?: Uint32Array
  /** Called with how many columns a TSV or CSV has, before its first line is there. */
  readonly onColumns?: ((count: number) => void) | undefined
}

export interface BodyContext extends RenderContext {
  /** Folder for the temporary file that Parquet needs. */
  readonly temporaryFolder: string
  /** Guards its disk, where nobody else does. */
  readonly space?: Pick<DiskSpace, 'guard'> | undefined
}

/**
 * The whole body of a list answer (data-commons.md 3.1, 3.5, 3.6), made while it is taken: memory holds a
 * few chunks of about 1 MiB, however many rows there are. Tables are gone through twice, since their
 * first line names the columns of all rows. Stops when the signal is aborted.
 *
 * @throws EngineError corrupt_source when a document is damaged, busy when too much work is waiting
 */
export async function* renderBody(
  request: BodyRequest,
  context: BodyContext,
): AsyncGenerator<Uint8Array, undefined> {
  const { projection, rows, format, envelope, pretty = false, isBare = false } = request
  const { scores, onColumns, isSheet = false } = request
  const isPlain = !isSheet && !scores && format !== 'xml' && !(format === 'json' && pretty)
  const handles = await sourceFor({ projection, rows: rows.length, isPlain }, context)
  const chunks = new ChunkRenderer(projection, rows, handles, context)
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
    case 'parquet': {
      const { chunksOf } = await import('../../shared/streams/parquet-file.ts')
      yield* chunksOf(await parquetOf({ projection, rows }, context), context.signal)
      return
    }
  }
}

/**
 * The Parquet file of an answer, without a name: its bytes are gone when it is closed.
 * @throws EngineError as renderBody; unavailable when the temporary folder cannot be written
 */
export async function parquetOf(
  { projection, rows }: Pick<BodyRequest, 'projection' | 'rows'>,
  context: BodyContext,
): Promise<FileHandle> {
  const handles = await sourceFor({ projection, rows: rows.length, isPlain: true }, context)
  const chunks = new ChunkRenderer(projection, rows, handles, context)
  // The library takes a fifth of a second to load: only who asks for the format waits for it.
  const { renderParquet } = await import('./parquet.ts')
  return renderParquet(chunks, projection, context)
}

/** Head and tail go out together with the chunk beside them: a small page is one write. */
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

/** Bytes of one write: facets may have many times as many. */
const CHUNK_BYTES = 1 << 20

/** Small parts as one chunk, large ones in several. */
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
