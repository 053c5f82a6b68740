import { type Packed, pack, unpack } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'
import { storable } from './values.ts'

/** Serialized rows of parameters, so that threads between their origin and use only pass bytes on. */
export interface PackedRows {
  readonly chunks: readonly Packed[]
}

/** A statement like RowsOf, but with serialized rows. */
export interface PackedStatement {
  readonly sql: string
  readonly rows: PackedRows
}

/** Number of rows per chunk, so that deserializing a chunk does not block the main thread for long. */
const ROWS_AT_ONCE = 500

/**
 * Serializes rows in chunks.
 * @throws EngineError, TypeError like `storable`
 */
export function packRows(rows: Iterable<Parameters>): PackedRows {
  return { chunks: Array.from(chunksOf(rows, ROWS_AT_ONCE), (chunk) => pack(chunk.map(storable))) }
}

export function unpackRows(chunk: Uint8Array): readonly Parameters[] {
  return unpack<readonly Parameters[]>(chunk)
}

export function* chunksOf(rows: Iterable<Parameters>, count: number): Iterable<Parameters[]> {
  let chunk: Parameters[] = []
  for (const row of rows) {
    if (chunk.push(row) < count) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
