import type { Hit } from './hit.ts'

/** Printed records of another dataset. They are rendered once for all chunks of a response. */
export interface LinkedRecords {
  /** Row numbers of the records, ascending. */
  readonly rows: Uint32Array
  /** Start of each text in `bytes`, followed by the end of the last text. */
  readonly starts: Uint32Array
  /** JSON texts, each followed by a line break, in shared memory. */
  readonly bytes: Uint8Array
}

const LF = 0x0a
const NOTHING = '{}'

/** @param lines one JSON text per row, each followed by a line break */
export function linkedRecords(
  rows: Uint32Array,
  lines: readonly Uint8Array[],
  length: number,
): LinkedRecords {
  const bytes = Buffer.from(new SharedArrayBuffer(length))
  let filled = 0
  for (const part of lines) {
    bytes.set(part, filled)
    filled += part.length
  }
  const starts = new Uint32Array(new SharedArrayBuffer((rows.length + 1) * 4))
  for (let i = 0; i < rows.length; i++) starts[i + 1] = bytes.indexOf(LF, starts[i]) + 1
  return { rows, starts, bytes }
}

/** Returns the record of a row. Undefined if it has no printed fields or was not prepared. */
export function linkedRecord(records: LinkedRecords, row: number): Hit | undefined {
  const { rows, starts, bytes } = records
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] ?? 0) < row) low = middle + 1
    else high = middle
  }
  if (rows[low] !== row) return undefined
  const start = starts[low] ?? 0
  const end = (starts[low + 1] ?? 0) - 1
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
  return text === NOTHING ? undefined : (JSON.parse(text) as Hit)
}
