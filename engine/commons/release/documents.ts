import { isAscii } from 'node:buffer'
import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { ArraySchema, ArraysOf } from '../../shared/arrays/array-schema.ts'
import { EngineError } from '../../shared/errors.ts'
import { Scratch } from '../../shared/executor.ts'

/** Positions of a dataset's documents in its text: about six bytes per document. */
export const DOCUMENT_ARRAYS = {
  /** Bytes of each row's document, including its line break. */
  lengths: ['Uint16Array', 'Uint32Array'],
  /** Start of the documents of each group of GROUP_ROWS rows, and the end. */
  starts: ['Float64Array'],
  /** CRC32 of each row's document, including its line break. */
  checksums: ['Uint32Array'],
} as const satisfies ArraySchema

export type DocumentArrays = ArraysOf<typeof DOCUMENT_ARRAYS>

/**
 * The documents of a dataset as plain data over shared memory. It can be sent to a thread, which reads through
 * the same open file. Valid while the release is open.
 */
export interface DocumentsHandle {
  readonly descriptor: number
  /** Path relative to the release, for messages. */
  readonly path: string
  readonly rows: number
  readonly arrays: DocumentArrays
}

/** Rows per recorded start. On average half as many lengths are added to find a document. */
export const GROUP_ROWS = 64

/** Maximum gap in bytes between documents that are read together. Copying it is faster than another read. */
const GAP_BYTES = 8 << 10

/** Bytes per read, unless a single document is larger. */
const READ_BYTES = 1 << 20

/** Minimum size of a buffer in bytes, enough for most documents and pages. */
const MIN_FREE_BYTES = 64 << 10

/** Reads documents by row, synchronously, inside jobs. */
export class DocumentReader {
  readonly #handle: DocumentsHandle
  readonly #scratch: Scratch

  /** @param scratch buffer for documents, which is free between two calls */
  constructor(handle: DocumentsHandle, scratch = new Scratch()) {
    this.#handle = handle
    this.#scratch = scratch
  }

  /**
   * Returns the JSON texts of rows, in the given order.
   * @throws EngineError corrupt_source if a document is not what was written
   */
  read(rows: ArrayLike<number>): string[] {
    this.#check(rows)
    if (isAscending(rows)) return this.#readAscending(rows)
    const places = placesByRow(rows)
    const found = this.#readAscending(Uint32Array.from(places, (place) => rows[place]!))
    const texts = new Array<string>(rows.length)
    for (let i = 0; i < places.length; i++) texts[places[i]!] = found[i] as string
    return texts
  }

  /**
   * Calls `use` with the JSON bytes [start, end) of each row, without a line break. They are overwritten later.
   * @param rows ascending
   * @throws EngineError corrupt_source if a document is not what was written
   */
  each(rows: ArrayLike<number>, use: (bytes: Buffer, start: number, end: number) => void): void {
    this.#check(rows)
    const { lengths } = this.#handle.arrays
    const starts = this.#startsOf(rows)
    for (let first = 0; first < rows.length; ) {
      const next = this.#runFrom(rows, starts, first)
      const bytes = this.#readRun(rows, starts, first, next - 1)
      for (let i = first; i < next; i++) {
        const start = starts[i]! - starts[first]!
        this.#lineOf(rows[i]!, bytes, start)
        use(bytes, start, start + lengths[rows[i]!]! - 1)
      }
      first = next
    }
  }

  #check(asked: ArrayLike<number>): void {
    const { rows, path } = this.#handle
    for (let i = 0; i < asked.length; i++) {
      const row = asked[i]!
      if (!(row >= 0 && row < rows)) throw new RangeError(`${path} has no row ${row}`)
    }
  }

  #readAscending(rows: ArrayLike<number>): string[] {
    const starts = this.#startsOf(rows)
    const texts = new Array<string>(rows.length)
    for (let first = 0; first < rows.length; ) {
      const next = this.#runFrom(rows, starts, first)
      const bytes = this.#readRun(rows, starts, first, next - 1)
      const base = starts[first]!
      for (let i = first; i < next; i++) {
        texts[i] = this.#textOf(rows[i]!, bytes, starts[i]! - base)
      }
      first = next
    }
    return texts
  }

  /** Returns the start of the documents of ascending rows. */
  #startsOf(rows: ArrayLike<number>): ArrayLike<number> {
    const { lengths, starts } = this.#handle.arrays
    const found = rows.length === 1 ? [0] : new Float64Array(rows.length)
    let at = -1
    let start = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      const group = Math.floor(row / GROUP_ROWS)
      if (at < group * GROUP_ROWS) {
        at = group * GROUP_ROWS
        start = starts[group]!
      }
      while (at < row) start += lengths[at++]!
      found[i] = start
    }
    return found
  }

  /** Returns the end (exclusive) of the rows that are read together, starting at the first row. */
  #runFrom(rows: ArrayLike<number>, starts: ArrayLike<number>, first: number): number {
    const { lengths } = this.#handle.arrays
    const base = starts[first]!
    let end = base + (lengths[rows[first]!] as number)
    let next = first + 1
    for (; next < rows.length; next++) {
      const start = starts[next]!
      const wanted = start + (lengths[rows[next]!] as number)
      if (start - end > GAP_BYTES || wanted - base > READ_BYTES) break
      end = wanted
    }
    return next
  }

  #readRun(
    rows: ArrayLike<number>,
    starts: ArrayLike<number>,
    first: number,
    last: number,
  ): Buffer {
    const { descriptor, arrays } = this.#handle
    const start = starts[first]!
    const lastRow = rows[last]!
    const length = starts[last]! + arrays.lengths[lastRow]! - start
    const target = this.#scratch.bytes('release.documents', targetFor(length))
    try {
      for (let filled = 0; filled < length; ) {
        const read = readSync(descriptor, target, filled, length - filled, start + filled)
        if (read === 0) throw new Error('the file is cut off')
        filled += read
      }
    } catch (cause) {
      throw this.#damage(rows[first]!, cause)
    }
    return target
  }

  #textOf(row: number, bytes: Buffer, start: number): string {
    const line = this.#lineOf(row, bytes, start)
    return line.toString(isAscii(line) ? 'latin1' : 'utf8', 0, line.length - 1)
  }

  /** Returns the verified document of a row, with its line break. */
  #lineOf(row: number, bytes: Buffer, start: number): Buffer {
    const { lengths, checksums } = this.#handle.arrays
    const line = bytes.subarray(start, start + lengths[row]!)
    if (crc32(line) !== checksums[row]) throw this.#damage(row, new Error('its CRC32 is wrong'))
    return line
  }

  #damage(row: number, cause: unknown): EngineError {
    return damagedDocument(this.#handle.path, row, cause)
  }
}

export function damagedDocument(path: string, row: number, cause: unknown): EngineError {
  const message = `document ${row} of "${path}" is damaged; import the release again`
  return new EngineError('corrupt_source', message, { cause, at: path })
}

/** Returns a power of two, so that the buffer seldom grows. */
function targetFor(length: number): number {
  let target = MIN_FREE_BYTES
  while (target < length) target *= 2
  return target
}

/** Returns the indices of a list of rows, in ascending order of rows. */
function placesByRow(rows: ArrayLike<number>): Uint32Array {
  const count = rows.length
  // Sorting numbers natively is ten times as fast as with a comparison function.
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = rows[i]! * count + i
  return Uint32Array.from(keys.sort(), (key) => key % count)
}

export function isAscending(rows: ArrayLike<number>): boolean {
  for (let i = 1; i < rows.length; i++) {
    if (rows[i - 1]! > rows[i]!) return false
  }
  return true
}
