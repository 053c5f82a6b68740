import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type LocalSource, readFully } from '../../../shared/blobs/source.ts'
import { EngineError } from '../../../shared/errors.ts'

/** Offsets, lengths and checksums (CRC32) of blocks. */
export interface BlockList {
  readonly offset: Float64Array
  readonly length: Uint32Array
  readonly checksum: Uint32Array
}

/** Location of a block in a file, and the CRC32 of its bytes. */
export interface Block {
  readonly offset: number
  readonly length: number
  readonly checksum: number
}

export const emptyBlocks = (count: number): BlockList => ({
  offset: new Float64Array(count),
  length: new Uint32Array(count),
  checksum: new Uint32Array(count),
})

export const blockOf = ({ offset, length, checksum }: BlockList, i: number): Block => ({
  offset: offset[i] ?? 0,
  length: length[i] ?? 0,
  checksum: checksum[i] ?? 0,
})

/** Writes blocks of bytes at the end of a file, and records their offsets. */
export class BlockFile {
  readonly #file: FileHandle
  #end = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /**
   * Appends bytes.
   * @returns the offset of the bytes in the file
   */
  async add(bytes: Uint8Array): Promise<number> {
    const at = this.#end
    // Writes without a position append, in the order of the calls.
    await this.#file.writeFile(bytes)
    this.#end += bytes.length
    return at
  }

  /** Appends a block and stores its location and checksum in the list at index `i`. */
  async addTo(list: BlockList, i: number, bytes: Uint8Array): Promise<void> {
    list.offset[i] = await this.add(bytes)
    list.length[i] = bytes.length
    list.checksum[i] = crc32(bytes)
  }
}

/**
 * Reads a block and verifies its checksum.
 * @param into buffer with the length of the block
 * @throws EngineError corrupt_source if it is cut off or its checksum differs
 */
export function readBlock(
  { offset, length, checksum }: Block,
  source: LocalSource,
  into: Uint8Array,
): Uint8Array<ArrayBuffer> {
  if (readFully(source, into, offset) < length || crc32(into) !== checksum) throw damagedBlock()
  return into as Uint8Array<ArrayBuffer>
}

export const damagedBlock = () =>
  new EngineError('corrupt_source', 'the numbers of genes beside an HDF5 file are damaged')
