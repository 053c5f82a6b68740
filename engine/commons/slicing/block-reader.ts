import { type ByteSource, damage, readLeast } from '../../shared/blobs/source.ts'
import {
  type BlockFrame,
  blockFrame,
  inflateBlock,
  MAX_BLOCK_BYTES,
} from '../../shared/formats/bgzf.ts'

export interface InflatedBlock {
  /** File offset of the block and of the byte after it. */
  readonly offset: number
  readonly next: number
  readonly bytes: Uint8Array
}

/** Window for reading many blocks in a row. */
export const LONG_WINDOW_BYTES = 1 << 20

/** Called for each block that is inflated, with its compressed bytes. */
export type BlockObserver = (block: InflatedBlock, compressed: Uint8Array) => void

/**
 * Reads and inflates blocks one after the other or at given offsets, each proved by its CRC32.
 * Keeps one window of compressed bytes and the last inflated block; for use inside a job.
 */
export class BlockReader {
  readonly #source: ByteSource
  readonly #window: Uint8Array
  readonly #observe: BlockObserver | undefined
  #windowStart = 0
  #windowLength = 0
  #last: InflatedBlock | undefined

  /** @param window space for compressed bytes, at least one block; larger for reading on and on */
  constructor(source: ByteSource, window: Uint8Array, observe?: BlockObserver) {
    this.#source = source
    this.#window = window
    this.#observe = observe
  }

  /**
   * The block at a file offset.
   * @throws EngineError corrupt_source when there is no whole and sound block
   */
  at(offset: number): InflatedBlock {
    if (this.#last?.offset === offset) return this.#last
    const frame = this.#frame(offset)
    try {
      const block = {
        offset,
        next: offset + frame.end - frame.start,
        bytes: inflateBlock(this.#window, frame),
      }
      this.#observe?.(block, this.#window.subarray(frame.start, frame.end))
      this.#last = block
      return block
    } catch (cause) {
      throw damage('block', offset, cause)
    }
  }

  /** The next block from the offset on that holds any bytes, or undefined at the end of the file. */
  from(offset: number): InflatedBlock | undefined {
    let next = offset
    while (next < this.#source.size) {
      const block = this.at(next)
      if (block.bytes.length > 0) return block
      next = block.next
    }
    return undefined
  }

  #frame(offset: number): BlockFrame {
    for (const refill of [false, true]) {
      if (refill) {
        this.#windowStart = offset
        // One block is enough to go on with; of what is elsewhere, no more may be here.
        this.#windowLength = readLeast(this.#source, this.#window, offset, MAX_BLOCK_BYTES)
      }
      const at = offset - this.#windowStart
      if (at < 0 || at >= this.#windowLength) continue
      try {
        const frame = blockFrame(this.#window, at, this.#windowLength)
        if (frame) return frame
      } catch (cause) {
        throw damage('block header', offset, cause)
      }
    }
    throw damage('block is cut off', offset)
  }
}
