import { damage } from '../../../shared/blobs/source.ts'
import {
  BCF_FIXED_BYTES,
  bcfEnd,
  bcfFlaw,
  bcfLength,
  bcfReference,
  bcfStart,
  hasNoSpan,
} from '../../../shared/formats/bcf.ts'
import type { BlockReader } from '../block-reader.ts'
import { ByteWindow } from './byte-window.ts'
import type { RecordCursor } from './record-cursor.ts'
import type { BcfFormat } from './record-format.ts'

/** Iterates over the records of a BCF file. The fixed fields of each are loaded. */
export class BcfCursor implements RecordCursor {
  readonly #window: ByteWindow
  readonly #format: BcfFormat
  readonly isUnmapped = false
  readonly lacksPosition = false
  #length = 0

  constructor(reader: BlockReader, blockOffset: number, inner: number, format: BcfFormat) {
    this.#window = new ByteWindow(reader, blockOffset, inner)
    this.#format = format
  }

  advance(): boolean {
    const window = this.#window
    const by = this.#length
    this.#length = 0
    if (!window.advance(by)) return false
    window.load(BCF_FIXED_BYTES)
    try {
      this.#length = bcfLength(window.view, window.at)
    } catch (cause) {
      throw damage(`record in the block`, window.block, cause)
    }
    return true
  }

  get block(): number {
    return this.#window.block
  }

  get inner(): number {
    return this.#window.inner
  }

  get reference(): number {
    return bcfReference(this.#window.view, this.#window.at)
  }

  get start(): number {
    return bcfStart(this.#window.view, this.#window.at)
  }

  get end(): number {
    const window = this.#window
    if (hasNoSpan(window.view, window.at)) window.load(this.#length)
    try {
      return bcfEnd(window.view, window.at)
    } catch (cause) {
      throw damage('record in the block', window.block, cause)
    }
  }

  get length(): number {
    return this.#length
  }

  flawIn(): string | undefined {
    const window = this.#window
    window.load(this.#length)
    return bcfFlaw(window.view, window.at, this.#format)
  }

  bytes(): Uint8Array {
    const window = this.#window
    window.load(this.#length)
    return window.bytes.subarray(window.at, window.at + this.#length)
  }
}
