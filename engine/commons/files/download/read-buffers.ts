/** What most reads ask for. */
export const CACHED_BYTES = 1 << 20
/** Sizes of buffers that are used again, and how many of each are kept when nobody uses them. */
const SIZES = [
  { bytes: 64 << 10, most: 64 },
  { bytes: CACHED_BYTES, most: 16 },
] as const

/** Buffers that files are read into, in shared memory: threads sum up what is in them. */
export class ReadBuffers {
  readonly #free = SIZES.map(({ bytes, most }) => ({ bytes, most, buffers: [] as Buffer[] }))
  #bytes = 0

  /** Bytes of all buffers, in use or kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of those that have not been given back. */
  get used(): number {
    const cached = this.#free.map(({ bytes, buffers }) => bytes * buffers.length)
    return cached.reduce((left, bytes) => left - bytes, this.#bytes)
  }

  /** A buffer of exactly that length; what is in it is anything. */
  take(length: number): Buffer {
    const size = this.#free.find(({ bytes }) => length <= bytes)
    const cached = size?.buffers.pop()
    const buffer = cached ?? Buffer.from(new SharedArrayBuffer(size?.bytes ?? length))
    if (!cached) this.#bytes += buffer.length
    return buffer.subarray(0, length)
  }

  /** Takes back what `take` gave. */
  give({ buffer }: Buffer): void {
    const size = this.#free.find(({ bytes }) => bytes === buffer.byteLength)
    if (size && size.buffers.length < size.most) size.buffers.push(Buffer.from(buffer))
    else this.#bytes -= buffer.byteLength
  }
}
