import { closeSync, openSync, readSync, writeSync } from 'node:fs'

const CHUNK_BYTES = 4 << 20
const FIRST_BYTES = 64 << 10

/** Place of a text in the spool, in bytes. */
export interface Place {
  readonly offset: number
  readonly length: number
}

/**
 * Texts in a file on disk, written in sequence and read in any order. Reads and writes are synchronous, because
 * there are millions of texts of about a kilobyte, which are mostly in the page cache.
 */
export class Spool {
  readonly #descriptor: number
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #filled = 0
  #written = 0
  #readBuffer = Buffer.allocUnsafeSlow(64 << 10)

  /** @param path a file that is created, or emptied */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'w+')
  }

  /**
   * Appends a text and returns its place.
   * @param text string, or its bytes in UTF-8
   */
  add(text: string | Uint8Array): Place {
    // A UTF-16 unit has at most three bytes in UTF-8.
    const most = typeof text === 'string' ? text.length * 3 : text.length
    if (this.#filled + most > this.#buffer.length) this.#makeRoom()
    const offset = this.#written + this.#filled
    if (most > this.#buffer.length) {
      const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
      this.#write(bytes)
      return { offset, length: bytes.length }
    }
    const length = writeText(this.#buffer, text, this.#filled)
    this.#filled += length
    return { offset, length }
  }

  /** Reads the text at a place. Every added text can be read immediately. */
  read(place: Place): string {
    return this.bytes(place).toString('utf8')
  }

  /** Reads the bytes at a place, in memory that the next call overwrites. */
  bytes({ offset, length }: Place): Buffer {
    if (length > this.#readBuffer.length) this.#readBuffer = Buffer.allocUnsafeSlow(length * 2)
    const bytes = this.#readBuffer.subarray(0, length)
    this.readInto(bytes, offset)
    return bytes
  }

  /** Reads the bytes from an offset on, as many as the target has. */
  readInto(target: Uint8Array, offset: number): void {
    if (this.#filled > 0) this.#flush()
    const bytes = readSync(this.#descriptor, target, 0, target.length, offset)
    if (bytes !== target.length) throw new Error('the spool of an import became shorter')
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** Writes the buffer to disk. The next buffer is larger, up to a limit. */
  #makeRoom(): void {
    this.#flush()
    const wanted = Math.min(CHUNK_BYTES, 4 * this.#buffer.length)
    if (wanted > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(wanted)
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done)
    }
    this.#written += bytes.length
  }
}

/** Writes a text as UTF-8, or bytes, at an offset. Returns the number of bytes written. */
export function writeText(into: Buffer, text: string | Uint8Array, offset: number): number {
  if (typeof text === 'string') return into.write(text, offset, 'utf8')
  into.set(text, offset)
  return text.length
}
