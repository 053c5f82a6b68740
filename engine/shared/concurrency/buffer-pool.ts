/**
 * Reuses buffers of one size. They are shared memory, so that a worker thread can verify the bytes that are
 * sent, and write into them. By default all buffers are kept; callers bound how many are in use.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  readonly #bytes: number
  readonly #most: number
  #made = 0

  /**
   * @param bytes size of each buffer
   * @param most maximum number of unused buffers that are kept
   */
  constructor(bytes: number, most = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes
    this.#most = most
  }

  /** Total bytes of all buffers, used or free. */
  get bytes(): number {
    return this.#made * this.#bytes
  }

  take(): Buffer {
    const free = this.#free.pop()
    if (free) return free
    this.#made++
    return Buffer.from(new SharedArrayBuffer(this.#bytes))
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#most) this.#free.push(buffer)
    else this.#made--
  }
}
