import { closeSync, openSync, readSync, writeSync } from 'node:fs'

const CHUNK_BYTES = 4 << 20

/** Where a text lies in the spool, in bytes. */
export interface Place {
  readonly offset: number
  readonly length: number
}

/**
 * Texts on disk, written one after another and read back in any order. Reading and writing block:
 * there are millions of them, of a kilobyte each, and the system has the file in its cache.
 */
export class Spool {
  readonly #descriptor: number
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #filled = 0
  #written = 0
  #readBuffer = Buffer.allocUnsafeSlow(64 << 10)

  /** @param path a file that is made, or emptied */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'w+')
  }

  /** @param text or the bytes of its UTF-8 */
  add(text: string | Uint8Array): Place {
    // A UTF-16 unit takes at most three bytes.
    const most = typeof text === 'string' ? text.length * 3 : text.length
    if (this.#filled + most > this.#buffer.length) this.#flush()
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

  /** Text at a place; everything that was added can be read at any time. */
  read({ offset, length }: Place): string {
    if (this.#filled > 0) this.#flush()
    if (length > this.#readBuffer.length) this.#readBuffer = Buffer.allocUnsafeSlow(length * 2)
    const bytes = readSync(this.#descriptor, this.#readBuffer, 0, length, offset)
    if (bytes !== length) throw new Error('the spool of an import became shorter')
    return this.#readBuffer.toString('utf8', 0, length)
  }

  close(): void {
    closeSync(this.#descriptor)
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

/** Puts the UTF-8 of a text, or bytes, at an offset; gives how many bytes that took. */
export function writeText(into: Buffer, text: string | Uint8Array, offset: number): number {
  if (typeof text === 'string') return into.write(text, offset, 'utf8')
  into.set(text, offset)
  return text.length
}
