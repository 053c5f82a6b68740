import { countLines, MAX_LINE_BYTES } from '../../shared/input/lines.ts'

/** A run of whole lines of a table. */
export interface TablePiece {
  readonly bytes: Uint8Array
  /** Number of lines before the piece. */
  readonly linesBefore: number
}

const PIECE_BYTES = 1 << 20
const LF = 0x0a

/**
 * Splits bytes into pieces of about 1 MiB that end with a line. If reading fails, yields the complete lines
 * before the error first.
 */
export async function* tablePieces(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TablePiece, void, undefined> {
  const pending = new PendingBytes()
  try {
    for await (const chunk of chunks) {
      pending.add(chunk)
      if (pending.length < PIECE_BYTES) continue
      const piece = pending.takeLines()
      if (piece) yield piece
    }
  } catch (error) {
    const piece = pending.takeLines()
    if (piece) yield piece
    throw error
  }
  if (pending.length > 0) yield pending.takeAll()
}

/** Returns the part of a piece that starts at a line number, which is 1-based within the table. */
export function linesFrom({ bytes, linesBefore }: TablePiece, line: number): TablePiece {
  const buffer = asBuffer(bytes)
  let start = 0
  for (let passed = linesBefore + 1; passed < line; passed++) start = buffer.indexOf(LF, start) + 1
  return { bytes: bytes.subarray(start), linesBefore: line - 1 }
}

/** Size of a slice in bytes. Keeping many cells in memory at once takes more time than splitting them. */
const SLICE_BYTES = 32 << 10

/** Yields bytes in small slices, so that few rows are in memory at once. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES)
  }
}

const asBuffer = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

class PendingBytes {
  #chunks: Uint8Array[] = []
  #length = 0
  #linesBefore = 0

  get length(): number {
    return this.#length
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  takeAll(): TablePiece {
    return this.#take(this.#length)
  }

  /** Returns all complete lines. A line that is too long is returned incomplete. */
  takeLines(): TablePiece | undefined {
    const last = this.#chunks.findLastIndex((chunk) => chunk.includes(LF))
    if (last < 0) return this.#length > MAX_LINE_BYTES ? this.takeAll() : undefined
    const end = this.#chunks[last]?.lastIndexOf(LF) ?? 0
    return this.#take(
      this.#chunks.slice(0, last).reduce((sum, { length }) => sum + length, end + 1),
    )
  }

  #take(length: number): TablePiece {
    const all = Buffer.concat(this.#chunks)
    const rest = all.subarray(length)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#length = rest.length
    const bytes = all.subarray(0, length)
    const linesBefore = this.#linesBefore
    this.#linesBefore += countLines(bytes)
    return { bytes, linesBefore }
  }
}
