import { damage } from '../../shared/blobs/source.ts'
import {
  checkRecord,
  cigarEnd,
  hasFittingCigar,
  lacksPosition,
  RECORD_FIXED_BYTES,
  recordEnd,
  recordLength,
  recordReference,
  recordStart,
} from '../../shared/formats/bam.ts'
import type { BlockReader } from './block-reader.ts'

interface Segment {
  /** Offset in the window of the block's first byte; below 0 when that byte has gone. */
  readonly windowStart: number
  readonly blockOffset: number
}

/**
 * Walks over the records of a BAM file from a virtual offset on. A record may lie across any
 * number of blocks; only then are bytes copied together.
 */
export class RecordCursor {
  readonly #reader: BlockReader
  #window: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #segments: Segment[] = []
  #nextBlock: number
  #at: number
  #length = 0
  #block = 0
  #inner = 0

  /** @param inner inflated bytes to skip from the start of the block; may reach into later blocks */
  constructor(reader: BlockReader, blockOffset: number, inner: number) {
    this.#reader = reader
    this.#nextBlock = blockOffset
    this.#at = inner
  }

  /**
   * Moves to the next record; false at the end of the file. Only the record's CIGAR and what
   * stands before it is sure to be loaded.
   * @throws EngineError corrupt_source
   */
  advance(): boolean {
    this.#at += this.#length
    this.#length = 0
    while (this.#at >= this.#window.length) {
      this.#at -= this.#window.length
      const block = this.#reader.from(this.#nextBlock)
      if (!block) {
        if (this.#at > 0) throw damage('last record is cut off before the end', this.#nextBlock)
        this.#show(new Uint8Array(0), [])
        return false
      }
      this.#show(block.bytes, [{ windowStart: 0, blockOffset: block.offset }])
      this.#nextBlock = block.next
    }
    this.#place()
    this.#load(RECORD_FIXED_BYTES)
    try {
      this.#length = recordLength(this.#view, this.#at)
      checkRecord(this.#view, this.#at, this.#length)
    } catch (cause) {
      throw damage(`record in the block`, this.#block, cause)
    }
    this.#load(cigarEnd(this.#view, this.#at))
    return true
  }

  /** File offset of the block in which the record starts. */
  get block(): number {
    return this.#block
  }

  /** Offset of the record in the inflated bytes of that block. */
  get inner(): number {
    return this.#inner
  }

  get reference(): number {
    return recordReference(this.#view, this.#at)
  }

  get start(): number {
    return recordStart(this.#view, this.#at)
  }

  get end(): number {
    return recordEnd(this.#view, this.#at)
  }

  get lacksPosition(): boolean {
    return lacksPosition(this.#view, this.#at)
  }

  get hasFittingCigar(): boolean {
    return hasFittingCigar(this.#view, this.#at)
  }

  /** Bytes of the record, its length field included. */
  get length(): number {
    return this.#length
  }

  /** The whole record; valid until the cursor moves. */
  bytes(): Uint8Array {
    this.#load(this.#length)
    return this.#window.subarray(this.#at, this.#at + this.#length)
  }

  /** Makes sure that `length` bytes from the current position on are in the window. */
  #load(length: number): void {
    if (this.#window.length - this.#at >= length) return
    const parts = [this.#window.subarray(this.#at)]
    const segments = [{ windowStart: -this.#inner, blockOffset: this.#block }]
    let have = parts[0]!.length
    while (have < length) {
      const block = this.#reader.from(this.#nextBlock)
      if (!block) throw damage('record is cut off; its block starts', this.#block)
      segments.push({ windowStart: have, blockOffset: block.offset })
      parts.push(block.bytes)
      have += block.bytes.length
      this.#nextBlock = block.next
    }
    this.#at = 0
    this.#show(Buffer.concat(parts, have), segments)
  }

  #show(window: Uint8Array, segments: Segment[]): void {
    this.#window = window
    this.#view = new DataView(window.buffer, window.byteOffset, window.byteLength)
    this.#segments = segments
  }

  #place(): void {
    let segment = this.#segments[0]!
    for (const later of this.#segments) if (later.windowStart <= this.#at) segment = later
    this.#block = segment.blockOffset
    this.#inner = this.#at - segment.windowStart
  }
}
