import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'

const BUFFER_BYTES = 1 << 20
/** First size of a buffer. Most files of a small release are smaller, and buffers outside the heap cause collections. */
const FIRST_BYTES = 1 << 14

/** Writes a file in large chunks and computes its size and CRC32, inside jobs. */
export class FileSink {
  readonly #descriptor: number
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #filled = 0
  #bytes = 0
  #checksum = 0
  #open = true

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx')
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > this.#buffer.length - this.#filled) this.#makeRoom(bytes.length)
    this.#bytes += bytes.length
    if (bytes.length > this.#buffer.length) {
      this.#put(bytes)
    } else {
      this.#buffer.set(bytes, this.#filled)
      this.#filled += bytes.length
    }
  }

  /** Writes what is buffered, and has a larger buffer for what follows. */
  #makeRoom(length: number): void {
    this.#flush()
    const wanted = Math.min(BUFFER_BYTES, Math.max(length, 4 * this.#buffer.length))
    if (wanted > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(wanted)
  }

  #flush(): void {
    this.#put(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }

  #put(bytes: Uint8Array): void {
    this.#checksum = crc32(bytes, this.#checksum)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at)
  }

  finish(): WrittenFile {
    this.#flush()
    this.close()
    return { bytes: this.#bytes, crc32: this.#checksum }
  }

  close(): void {
    if (this.#open) closeSync(this.#descriptor)
    this.#open = false
  }
}
