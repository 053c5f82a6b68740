import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'

/** Maximum size of the buffer. */
const BUFFER_BYTES = 1 << 20
/**
 * Initial size of the buffer in bytes. Most files of a small release fit into it. Larger buffers, which are
 * outside the heap, would cause more garbage collections.
 */
const FIRST_BYTES = 1 << 14

/** Writes a file through a buffer and computes its size and CRC32. It blocks its thread, so only jobs use it. */
export class FileSink {
  readonly #descriptor: number
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** Number of bytes in the buffer. */
  #filled = 0
  #bytes = 0
  #checksum = 0
  #open = true

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx')
  }

  /** Number of bytes passed to `write` so far, including those still in the buffer. */
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

  /** Writes the buffer to the file. Unless the buffer has its maximum size, replaces it with a larger one. */
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

  /** Writes the rest, closes the file and returns its size and checksum. */
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
