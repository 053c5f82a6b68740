import { readSync } from 'node:fs'
import { crc32, zstdDecompressSync } from 'node:zlib'
import { EngineError } from '../errors.ts'

/** Index of a dataset's blocks. */
export interface DocumentArrays {
  /** blocks + 1 numbers: block b is bytes offsets[b] … offsets[b + 1] - 1 of the file. */
  readonly offsets: Float64Array
  /** blocks + 1 numbers: block b holds rows firstRows[b] … firstRows[b + 1] - 1. */
  readonly firstRows: Uint32Array
  /** CRC32 of each compressed block. */
  readonly checksums: Uint32Array
}

/**
 * The documents of a dataset as plain data over shared memory: crosses to a thread, whose reader
 * reads through the same open file. Valid while the release is open.
 */
export interface DocumentsHandle {
  readonly descriptor: number
  /** Relative to the release, for messages. */
  readonly path: string
  readonly rows: number
  readonly arrays: DocumentArrays
}

/** Decompressed blocks that a reader keeps. */
const BLOCKS_KEPT = 8

interface Block {
  readonly bytes: Buffer
  /** rows + 1 numbers: where each document starts in `bytes`. */
  readonly starts: Uint32Array
}

/** Reads documents by row, synchronously: for use inside a job. */
export class DocumentReader {
  readonly #handle: DocumentsHandle
  readonly #blocks = new Map<number, Block>()
  #compressed = Buffer.alloc(0)

  constructor(handle: DocumentsHandle) {
    this.#handle = handle
  }

  /**
   * The JSON texts of rows, in the order given.
   * @throws EngineError corrupt_source when a block is not what was written
   */
  read(rows: ArrayLike<number>): string[] {
    return this.readBytes(rows).map((bytes) => bytes.toString('utf8'))
  }

  /** As `read`; UTF-8 that must not be changed. */
  readBytes(rows: ArrayLike<number>): Buffer[] {
    const found = new Array<Buffer>(rows.length)
    // Block by block, so that none is decompressed twice whatever the order of rows.
    const order = Uint32Array.from(rows, (_, i) => i)
    if (!isAscending(rows)) order.sort((a, b) => (rows[a] as number) - (rows[b] as number))
    for (const i of order) {
      const row = rows[i] as number
      const number = this.#blockOf(row)
      const { bytes, starts } = this.#block(number)
      const at = row - (this.#handle.arrays.firstRows[number] as number)
      found[i] = bytes.subarray(starts[at], starts[at + 1])
    }
    return found
  }

  #blockOf(row: number): number {
    const { arrays, rows, path } = this.#handle
    if (!(row >= 0 && row < rows)) throw new RangeError(`${path} has no row ${row}`)
    let low = 0
    let high = arrays.checksums.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((arrays.firstRows[middle] as number) <= row) low = middle
      else high = middle - 1
    }
    return low
  }

  #block(number: number): Block {
    const known = this.#blocks.get(number)
    if (known) {
      // Newest last.
      this.#blocks.delete(number)
      this.#blocks.set(number, known)
      return known
    }
    const block = this.#readBlock(number)
    if (this.#blocks.size >= BLOCKS_KEPT) {
      for (const oldest of this.#blocks.keys()) {
        this.#blocks.delete(oldest)
        break
      }
    }
    this.#blocks.set(number, block)
    return block
  }

  #readBlock(number: number): Block {
    const { descriptor, arrays, path } = this.#handle
    const offset = arrays.offsets[number] as number
    const length = (arrays.offsets[number + 1] as number) - offset
    if (this.#compressed.length < length) this.#compressed = Buffer.allocUnsafeSlow(length * 2)
    const compressed = this.#compressed.subarray(0, length)
    try {
      let filled = 0
      while (filled < length) {
        const read = readSync(descriptor, compressed, filled, length - filled, offset + filled)
        if (read === 0) throw new Error('the file is cut off')
        filled += read
      }
      if (crc32(compressed) !== arrays.checksums[number]) throw new Error('its CRC32 is wrong')
      const rows = (arrays.firstRows[number + 1] as number) - (arrays.firstRows[number] as number)
      return blockOf(zstdDecompressSync(compressed), rows)
    } catch (cause) {
      const where = `block ${number} of "${path}"`
      throw new EngineError('corrupt_source', `${where} is damaged; import the release again`, {
        cause,
      })
    }
  }
}

function isAscending(rows: ArrayLike<number>): boolean {
  for (let i = 1; i < rows.length; i++) {
    if ((rows[i - 1] as number) > (rows[i] as number)) return false
  }
  return true
}

/** @param inflated lengths of the documents (32 bits each), then the documents */
function blockOf(inflated: Buffer, rows: number): Block {
  const starts = new Uint32Array(rows + 1)
  let start = rows * 4
  for (let i = 0; i < rows; i++) {
    starts[i] = start
    start += inflated.readUInt32LE(i * 4)
  }
  starts[rows] = start
  if (start !== inflated.length) throw new Error('its lengths are wrong')
  return { bytes: inflated, starts }
}
