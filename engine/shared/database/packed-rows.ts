import { type Packed, pack, unpack } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'
import { keepable } from './values.ts'

/** Rows of parameters as bytes: made by one thread, used by another, and looked at by none between. */
export interface PackedRows {
  readonly pieces: readonly Packed[]
}

/** As RowsOf. */
export interface PackedStatement {
  readonly sql: string
  readonly rows: PackedRows
}

/** Rows of a piece: few enough for a thread that has them unpacked for a server to be free soon. */
const ROWS_AT_ONCE = 500

/** @throws EngineError, TypeError as `keepable` */
export function packRows(rows: Iterable<Parameters>): PackedRows {
  return { pieces: Array.from(piecesOf(rows, ROWS_AT_ONCE), (piece) => pack(piece.map(keepable))) }
}

export function unpackRows(piece: Uint8Array): readonly Parameters[] {
  return unpack<readonly Parameters[]>(piece)
}

export function* piecesOf(rows: Iterable<Parameters>, count: number): Iterable<Parameters[]> {
  let piece: Parameters[] = []
  for (const row of rows) {
    if (piece.push(row) < count) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}
