interface PoolOptions {
  readonly most?: number
  readonly allocate?: ((bytes: number) => Buffer) | undefined
}

const newBuffer = (bytes: number) => Buffer.from(new SharedArrayBuffer(bytes))

/**
 * Reuses buffers of one size. They are in shared memory, so that worker threads can write into them and verify
 * the bytes that are sent. By default, all buffers are kept for reuse. Callers limit how many are in use.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  readonly #bytes: number
  readonly #most: number
  readonly #allocate: (bytes: number) => Buffer
  #made = 0

  /**
   * @param bytes size of each buffer
   * @param most maximum number of unused buffers that are kept
   * @param allocate returns the shared memory of a new buffer
   */
  constructor(
    bytes: number,
    { most = Number.POSITIVE_INFINITY, allocate = newBuffer }: PoolOptions = {},
  ) {
    this.#bytes = bytes
    this.#most = most
    this.#allocate = allocate
  }

  /** Total bytes of all buffers, used or free. */
  get bytes(): number {
    return this.#made * this.#bytes
  }

  take(): Buffer {
    const free = this.#free.pop()
    if (free) return free
    this.#made++
    return this.#allocate(this.#bytes)
  }

  /** Whether fewer buffers are in use than are kept. */
  get hasKept(): boolean {
    return this.#free.length > 0 || this.#made < this.#most
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#most) this.#free.push(buffer)
    else this.#made--
  }
}

/** Buffers of a pool that one response uses. */
export class BufferLease {
  readonly #pool: BufferPool
  readonly #taken = new Set<Buffer>()

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  take(): Buffer {
    const buffer = this.#pool.take()
    this.#taken.add(buffer)
    return buffer
  }

  /** Returns a buffer, or undefined if as many as the pool keeps are in use. */
  takeKept(): Buffer | undefined {
    return this.#pool.hasKept ? this.take() : undefined
  }

  give(buffer: Buffer | undefined): void {
    if (buffer && this.#taken.delete(buffer)) this.#pool.give(buffer)
  }

  /** Gives back all buffers. Afterwards, nothing may write to them. */
  giveAll(): void {
    for (const buffer of this.#taken) this.give(buffer)
  }
}
