/**
 * Reused buffers of one size. They are shared memory, so that a thread can prove the very bytes
 * that are sent, and write where they are sent from. Unless it is said how many are kept, there are
 * as many as were ever in use at a time; whoever takes them has a bound on that.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  readonly #bytes: number
  readonly #most: number
  #made = 0

  /**
   * @param bytes size of each buffer
   * @param most buffers that are kept when nobody uses them
   */
  constructor(bytes: number, most = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes
    this.#most = most
  }

  /** Bytes of all buffers, in use or not. */
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
