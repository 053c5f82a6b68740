/** Bytes of one copied stretch. Below this size a file is read at a fraction of its speed. */
export const STRETCH_BYTES = 1 << 20

/**
 * Reused stretch buffers. They are shared memory, so that a thread can prove the very bytes that
 * are sent.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  readonly #keep: number

  /** @param keep how many idle buffers to keep */
  constructor(keep: number) {
    this.#keep = keep
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.from(new SharedArrayBuffer(STRETCH_BYTES))
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#keep) this.#free.push(buffer)
  }
}
