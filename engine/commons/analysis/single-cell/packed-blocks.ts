import { crc32 } from 'node:zlib'
import type { Scratch } from '../../../shared/executor.ts'
import { type Listed, mostBlockBytes, NumberPacker } from './number-block.ts'

/** Concatenated blocks of values, each aligned to 8 bytes. */
export interface PackedBlocks {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Length of each block in bytes. 0 if all values are zero. */
  readonly lengths: Uint32Array
  readonly checksums: Uint32Array
}

/** Encodes blocks into memory that a thread reuses. */
export class BlockWriter {
  readonly #lengths: Uint32Array
  readonly #checksums: Uint32Array
  readonly #packer: NumberPacker
  #target: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 20)
  #count = 0
  #end = 0

  constructor(blocks: number, scratch: Scratch) {
    this.#lengths = new Uint32Array(blocks)
    this.#checksums = new Uint32Array(blocks)
    this.#packer = scratch.cached('single-cell.packer', () => new CachedPacker())
  }

  add(cells: ArrayLike<number>): void {
    this.#put(cells.length, (into) => this.#packer.pack(cells, into))
  }

  addListed(listed: Listed, cells: number): void {
    this.#put(cells, (into) => this.#packer.packListed(listed, cells, into))
  }

  #put(cells: number, pack: (into: Uint8Array<ArrayBuffer>) => number): void {
    const most = this.#end + mostBlockBytes(cells)
    if (most > this.#target.length) {
      const larger = new Uint8Array(2 * most)
      larger.set(this.#target.subarray(0, this.#end))
      this.#target = larger
    }
    const length = pack(this.#target.subarray(this.#end))
    const bytes = this.#target.subarray(this.#end, this.#end + length)
    this.#lengths[this.#count] = length
    this.#checksums[this.#count++] = crc32(bytes)
    // Pads to a multiple of 8 bytes for the next block.
    const padding = -length & 7
    this.#end += length + padding
    this.#target.fill(0, this.#end - padding, this.#end)
  }

  /** Returns a copy of all blocks added so far. */
  finish(): PackedBlocks {
    const bytes = this.#target.slice(0, this.#end)
    return { bytes, lengths: this.#lengths, checksums: this.#checksums }
  }
}

class CachedPacker extends NumberPacker {
  readonly bytes = 1 << 19
}
