import { constants, zstdCompressSync } from 'node:zlib'
import type { Job, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { SeenColumn, TypedColumn } from './columns.ts'
import type { Hit } from './hit.ts'
import { type Projection, printedTypes } from './projection.ts'
import { Projector } from './projector.ts'
import { openRecords, type RecordHandles } from './records.ts'
import { type JsonForm, writeJson, writeLines, writeXml } from './write-hits.ts'
import { seeColumns, writeFlatLines, writeOwnTsv, writeTsv } from './write-table.ts'

const ROOM_BYTES = 1 << 20
const ROOM_BYTES_PER_ROW = 4096

/** How the hits of a piece are written. */
export type ChunkFormat =
  | ({ readonly kind: 'json' } & JsonForm)
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'xml'; readonly pretty: boolean }
  /** Lines of a table; without `columns` the piece's own ones, which the output names. */
  | { readonly kind: 'tsv'; readonly columns?: readonly string[] }
  /** Nothing but the columns. */
  | { readonly kind: 'columns' }
  | { readonly kind: 'arrow'; readonly columns: readonly TypedColumn[]; readonly first: boolean }
  /** Flat objects, one per line, as a zstd frame; and the columns. */
  | { readonly kind: 'flat' }

export interface ChunkInput extends RecordHandles {
  readonly projection: Projection
  readonly rows: Uint32Array
  readonly format: ChunkFormat
}

export interface ChunkOutput {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly columns?: readonly SeenColumn[]
  /** What the piece cost: bytes written or characters of documents read, the greater one. */
  readonly work: number
}

/**
 * Renders one piece of an answer.
 * @throws EngineError corrupt_source when a document is damaged
 */
export async function renderChunk(input: ChunkInput, scratch: Scratch): Promise<ChunkOutput> {
  const { projection, rows, format } = input
  const projector = new Projector(openRecords(input, scratch))
  const hits = projector.hits(projection, rows)
  if (format.kind === 'arrow') {
    // Takes a tenth of a second to load: only threads that are asked for it do.
    const { arrowPiece } = await import('./arrow.ts')
    const bytes = arrowPiece(hits, { ...format, rows: rows.length })
    return { bytes, work: Math.max(bytes.length, projector.characters) }
  }
  const room = Math.min(ROOM_BYTES, ROOM_BYTES_PER_ROW * rows.length)
  const sink = new ByteSink(scratch.bytes('render', room))
  const columns = writeHits(hits, sink, { projection, format })
  const work = Math.max(sink.length, projector.characters)
  const bytes = sink.take()
  return {
    bytes: format.kind === 'flat' ? compress(bytes) : bytes,
    ...(columns ? { columns } : {}),
    work,
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
    case 'xml':
      writeXml(hits, sink, format)
      return undefined
    case 'tsv': {
      const types = printedTypes(projection)
      if (!format.columns) return writeOwnTsv(hits, sink, types)
      writeTsv(hits, sink, { columns: format.columns, types })
      return undefined
    }
    case 'columns':
      return seeColumns(hits)
    case 'flat':
      return writeFlatLines(hits, sink)
    case 'arrow':
      return undefined
  }
}

function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 }
  return Uint8Array.from(zstdCompressSync(bytes, { params }))
}

export const chunkJob: Job<ChunkInput, ChunkOutput> = {
  name: 'render.chunk',
  run: renderChunk,
  transfer: ({ bytes }) => [bytes.buffer],
}
