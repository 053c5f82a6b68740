/** What most reads ask for; such buffers are used again. */
export const KEPT_BYTES = 1 << 20
/** Buffers that are kept when nobody uses them. */
const MOST_KEPT = 16

/** Buffers that files are read into. */
export class ReadBuffers {
  readonly #free: Buffer[] = []
  #used = 0

  /** Bytes of all buffers, in use or kept. */
  get bytes(): number {
    return this.#used + this.#free.length * KEPT_BYTES
  }

  /** A buffer of exactly that length; what is in it is anything. */
  take(length: number): Buffer {
    this.#used += length
    const free = length === KEPT_BYTES ? this.#free.pop() : undefined
    return free ?? Buffer.allocUnsafeSlow(length)
  }

  give(buffer: Buffer): void {
    this.#used -= buffer.length
    if (buffer.length === KEPT_BYTES && this.#free.length < MOST_KEPT) this.#free.push(buffer)
  }
}
