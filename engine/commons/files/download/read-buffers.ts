/** Buffer size in bytes that most reads request. */
export const CACHED_BYTES = 1 << 20
/** Sizes of buffers that are reused, each with the maximum number of free buffers to keep. */
const SIZES = [
  { bytes: 64 << 10, most: 64 },
  { bytes: CACHED_BYTES, most: 16 },
] as const

/** Buffers for reading files. They are in shared memory, because threads compute checksums of them. */
export class ReadBuffers {
  readonly #free = SIZES.map(({ bytes, most }) => ({ bytes, most, buffers: [] as Buffer[] }))
  #bytes = 0

  /** Total size of all buffers, in use or free, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Total size of the buffers in use in bytes. */
  get used(): number {
    const cached = this.#free.map(({ bytes, buffers }) => bytes * buffers.length)
    return cached.reduce((left, bytes) => left - bytes, this.#bytes)
  }

  /** Returns a buffer of exactly this length. Its contents are undefined. */
  take(length: number): Buffer {
    const size = this.#free.find(({ bytes }) => length <= bytes)
    const cached = size?.buffers.pop()
    const buffer = cached ?? Buffer.from(new SharedArrayBuffer(size?.bytes ?? length))
    if (!cached) this.#bytes += buffer.length
    return buffer.subarray(0, length)
  }

  /** Returns a buffer from `take` for reuse. */
  give({ buffer }: Buffer): void {
    const size = this.#free.find(({ bytes }) => bytes === buffer.byteLength)
    if (size && size.buffers.length < size.most) size.buffers.push(Buffer.from(buffer))
    else this.#bytes -= buffer.byteLength
  }
}
