import { damage } from '../../../shared/blobs/source.ts'
import {
  checkRecord,
  cigarEnd,
  hasFittingCigar,
  hasName,
  isUnmapped,
  lacksPosition,
  mateReference,
  RECORD_FIXED_BYTES,
  recordEnd,
  recordLength,
  recordReference,
  recordStart,
} from '../../../shared/formats/bam.ts'
import { tagsFlaw, tagsStart } from '../../../shared/formats/bam-tags.ts'
import type { BlockReader } from '../block-reader.ts'
import { ByteWindow } from './byte-window.ts'
import type { RecordCursor } from './record-cursor.ts'

/** Iterates over the records of a BAM file. Each is loaded up to and including its CIGAR. */
export class BamCursor implements RecordCursor {
  readonly #window: ByteWindow
  #length = 0

  constructor(reader: BlockReader, blockOffset: number, inner: number) {
    this.#window = new ByteWindow(reader, blockOffset, inner)
  }

  advance(): boolean {
    const window = this.#window
    const by = this.#length
    this.#length = 0
    if (!window.advance(by)) return false
    window.load(RECORD_FIXED_BYTES)
    try {
      this.#length = recordLength(window.view, window.at)
      checkRecord(window.view, window.at, this.#length)
    } catch (cause) {
      throw damage(`record in the block`, window.block, cause)
    }
    window.load(cigarEnd(window.view, window.at))
    return true
  }

  get block(): number {
    return this.#window.block
  }

  get inner(): number {
    return this.#window.inner
  }

  get reference(): number {
    return recordReference(this.#window.view, this.#window.at)
  }

  get start(): number {
    return recordStart(this.#window.view, this.#window.at)
  }

  get end(): number {
    return recordEnd(this.#window.view, this.#window.at)
  }

  get length(): number {
    return this.#length
  }

  get isUnmapped(): boolean {
    return isUnmapped(this.#window.view, this.#window.at)
  }

  get lacksPosition(): boolean {
    return lacksPosition(this.#window.view, this.#window.at)
  }

  flawIn(referenceCount: number): string | undefined {
    const window = this.#window
    window.load(this.#length)
    const { view, bytes, at } = window
    if (!hasFittingCigar(view, at)) return 'CIGAR and sequence of a record differ in length'
    if (!hasName(view, at)) return 'name of a record has length 0'
    const mate = mateReference(view, at)
    if (mate < -1 || mate >= referenceCount) {
      return `mate of a record is on reference ${mate}, and the file has ${referenceCount}, counted from 0`
    }
    return tagsFlaw(bytes, tagsStart(view, at), at + this.#length)
  }

  bytes(): Uint8Array {
    const window = this.#window
    window.load(this.#length)
    return window.bytes.subarray(window.at, window.at + this.#length)
  }
}
