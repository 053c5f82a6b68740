import { type Packed, pack, unpack } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'
import { keepable } from './values.ts'

/** Rows of parameters as bytes: made by one thread, used by another, and looked at by none between. */
export interface PackedRows {
  readonly chunks: readonly Packed[]
}

/** As RowsOf. */
export interface PackedStatement {
  readonly sql: string
  readonly rows: PackedRows
}

/** Rows of a chunk: few enough for a thread that has them unpacked for a server to be free soon. */
const ROWS_AT_ONCE = 500

/** @throws EngineError, TypeError as `keepable` */
export function packRows(rows: Iterable<Parameters>): PackedRows {
  return { chunks: Array.from(chunksOf(rows, ROWS_AT_ONCE), (chunk) => pack(chunk.map(keepable))) }
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
