import { type ByteSource, damage, readLeast } from '../../shared/blobs/source.ts'
import {
  type BlockFrame,
  blockFrame,
  inflateBlock,
  MAX_BLOCK_BYTES,
} from '../../shared/formats/bgzf.ts'
import type { Inflater } from '../../shared/formats/inflater.ts'

export interface InflatedBlock {
  /** File offset of the block. */
  readonly offset: number
  /** File offset of the first byte after the block. */
  readonly next: number
  readonly bytes: Uint8Array
}

/** Window for reading many consecutive blocks. */
export const LONG_WINDOW_BYTES = 1 << 20

/** Called for each inflated block, with its compressed bytes. */
type BlockObserver = (block: InflatedBlock, compressed: Uint8Array) => void

interface ReaderOptions {
  readonly observe?: BlockObserver
  /** If given, the bytes of a block are valid only until the reader reads the next block. */
  readonly inflater?: Inflater | undefined
}

/**
 * Reads and inflates blocks in sequence or at given offsets, and verifies the CRC32 of each. Keeps one window of
 * compressed bytes and the last inflated block in memory. For use inside jobs.
 */
export class BlockReader {
  readonly #source: ByteSource
  readonly #window: Uint8Array
  readonly #options: ReaderOptions
  #inflated: Uint8Array | undefined
  #windowStart = 0
  #windowLength = 0
  #last: InflatedBlock | undefined

  /** @param window buffer for compressed bytes of at least one block; larger for sequential reading */
  constructor(source: ByteSource, window: Uint8Array, options: ReaderOptions = {}) {
    this.#source = source
    this.#window = window
    this.#options = options
  }

  /**
   * Returns the block at a file offset.
   * @throws EngineError corrupt_source if there is no complete and intact block
   */
  at(offset: number): InflatedBlock {
    if (this.#last?.offset === offset) return this.#last
    const frame = this.#frame(offset)
    try {
      const block = {
        offset,
        next: offset + frame.end - frame.start,
        bytes: this.#inflate(frame),
      }
      this.#options.observe?.(block, this.#window.subarray(frame.start, frame.end))
      this.#last = block
      return block
    } catch (cause) {
      throw damage('block', offset, cause)
    }
  }

  /** Returns the next non-empty block from an offset on, or undefined at the end of the file. */
  from(offset: number): InflatedBlock | undefined {
    let next = offset
    while (next < this.#source.size) {
      const block = this.at(next)
      if (block.bytes.length > 0) return block
      next = block.next
    }
    return undefined
  }

  #inflate(frame: BlockFrame): Uint8Array {
    const { inflater } = this.#options
    if (!inflater) return inflateBlock(this.#window, frame)
    // The inflater is shared with other readers of the thread, so its output memory cannot be kept.
    this.#inflated ??= Buffer.allocUnsafeSlow(MAX_BLOCK_BYTES)
    const bytes = inflateBlock(this.#window, frame, inflater)
    this.#inflated.set(bytes)
    return this.#inflated.subarray(0, bytes.length)
  }

  #frame(offset: number): BlockFrame {
    for (const refill of [false, true]) {
      if (refill) {
        this.#windowStart = offset
        // One block is enough to continue. In a remote file, the rest of the window may not be fetched yet.
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
