import { writeText } from './spool.ts'

/** Length of a text from which its bytes are counted. For shorter texts, the maximum possible size is reserved. */
const MAX_ESTIMATED = 1 << 18

/** Texts in UTF-8, one after another in a growing buffer. */
export class TextBytes {
  #buffer: Buffer<ArrayBuffer>
  #filled = 0

  /** @param bytes initial size of the buffer */
  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes)
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.#filled
  }

  /** Bytes written so far, in the memory that later texts overwrite after `clear`. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#filled)
  }

  /** Returns the bytes written from an offset on, in the same memory. */
  from(offset: number): Buffer {
    return this.#buffer.subarray(offset, this.#filled)
  }

  /** Appends a text, or its bytes in UTF-8, and returns the number of bytes. */
  add(text: string | Uint8Array): number {
    this.#reserve(mostBytes(text))
    const length = writeText(this.#buffer, text, this.#filled)
    this.#filled += length
    return length
  }

  /** Forgets the texts and keeps the buffer. */
  clear(): void {
    this.#filled = 0
  }

  #reserve(more: number): void {
    if (this.#filled + more <= this.#buffer.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#filled + more))
    grown.set(this.bytes)
    this.#buffer = grown
  }
}

/** Returns an upper bound of the bytes of a text. A UTF-16 unit has at most three bytes in UTF-8. */
function mostBytes(text: string | Uint8Array): number {
  if (typeof text !== 'string') return text.length
  return text.length < MAX_ESTIMATED ? text.length * 3 : Buffer.byteLength(text)
}
