import { damage } from '../../../shared/blobs/source.ts'
import type { BlockReader } from '../block-reader.ts'

interface Segment {
  /** Offset in the window of the block's first byte. Negative if that byte has been dropped. */
  readonly windowStart: number
  readonly blockOffset: number
}

const NOTHING = Buffer.alloc(0)

/**
 * Inflated bytes of a file from a virtual offset on, loaded on demand. If a record spans several blocks, their
 * bytes are copied together.
 */
export class ByteWindow {
  readonly #reader: BlockReader
  /** Blocks that were copied together. The memory is reused. */
  #joined: Uint8Array = NOTHING
  #bytes: Uint8Array = NOTHING
  #view: DataView = new DataView(NOTHING.buffer, 0, 0)
  #segments: Segment[] = []
  #nextBlock: number
  #at: number
  #block = 0
  #inner = 0

  /** @param inner inflated bytes to skip from the start of the block; may extend into later blocks */
  constructor(reader: BlockReader, blockOffset: number, inner: number) {
    this.#reader = reader
    this.#nextBlock = blockOffset
    this.#at = inner
  }

  /** Bytes loaded so far. The current position in them is `at`. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  get view(): DataView {
    return this.#view
  }

  get at(): number {
    return this.#at
  }

  /** File offset of the block with the current position. */
  get block(): number {
    return this.#block
  }

  /** Offset of the current position in the inflated bytes of that block. */
  get inner(): number {
    return this.#inner
  }

  /**
   * Moves on by a number of bytes. Returns false at the end of the file.
   * @throws EngineError corrupt_source if the file ends before that
   */
  advance(by: number): boolean {
    this.#at += by
    while (this.#at >= this.#bytes.length) {
      this.#at -= this.#bytes.length
      const block = this.#reader.from(this.#nextBlock)
      if (!block) {
        if (this.#at > 0) throw damage('last record is cut off before the end', this.#nextBlock)
        this.#show(NOTHING, [])
        return false
      }
      this.#show(block.bytes, [{ windowStart: 0, blockOffset: block.offset }])
      this.#nextBlock = block.next
    }
    this.#place()
    return true
  }

  /**
   * Loads `length` bytes from the current position on.
   * @throws EngineError corrupt_source if the file ends before that
   */
  load(length: number): void {
    const isHere = (have: number) => have >= length
    if (!this.#loadUntil(isHere)) throw damage('record is cut off; its block starts', this.#block)
  }

  /** Returns the distance from the current position to the next byte with a value, or -1 if there is no such byte. */
  distanceTo(value: number, most: number): number {
    const here = this.#bytes.indexOf(value, this.#at)
    if (here >= 0) return here - this.#at
    let distance = -1
    this.#loadUntil((have, added) => {
      const found = added.indexOf(value)
      if (found >= 0) distance = have - added.length + found
      return found >= 0 || have > most
    })
    return distance
  }

  /** Number of bytes from the current position to the end of the file. Known only near the end. */
  get rest(): number {
    return this.#bytes.length - this.#at
  }

  /** Loads blocks until `isEnough`, which receives the loaded length and the last block's bytes. */
  #loadUntil(isEnough: (have: number, added: Uint8Array) => boolean): boolean {
    let have = this.#bytes.length - this.#at
    if (isEnough(have, NOTHING)) return true
    // The reader may reuse the memory of a block for the next block, so the rest of it is copied.
    this.#join(this.#bytes.subarray(this.#at), 0)
    const segments = [{ windowStart: -this.#inner, blockOffset: this.#block }]
    let enough = false
    while (!enough) {
      const block = this.#reader.from(this.#nextBlock)
      if (!block) break
      segments.push({ windowStart: have, blockOffset: block.offset })
      this.#join(block.bytes, have)
      have += block.bytes.length
      this.#nextBlock = block.next
      enough = isEnough(have, block.bytes)
    }
    this.#at = 0
    this.#show(this.#joined.subarray(0, have), segments)
    return enough
  }

  #join(bytes: Uint8Array, at: number): void {
    const length = at + bytes.length
    if (length > this.#joined.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#joined.length))
      larger.set(this.#joined.subarray(0, at))
      this.#joined = larger
    }
    this.#joined.set(bytes, at)
  }

  #show(bytes: Uint8Array, segments: Segment[]): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#segments = segments
  }

  #place(): void {
    let segment = this.#segments[0]!
    for (const later of this.#segments) if (later.windowStart <= this.#at) segment = later
    this.#block = segment.blockOffset
    this.#inner = this.#at - segment.windowStart
  }
}
