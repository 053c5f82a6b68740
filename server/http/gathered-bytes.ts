/** Growth step of the memory, because each growth is a system call. */
const GROWTH_BYTES = 256 * 1024

/**
 * Collects chunks of bytes whose memory may have to be freed at any time. The chunks are copied to memory that
 * grows in place and is freed at once. A list of chunks would be freed late: garbage collection does not run
 * while the process is idle, and the allocator keeps small blocks.
 */
export class GatheredBytes {
  readonly #maxBytes: number
  #memory: ArrayBuffer | undefined
  /** A single chunk is not copied. */
  #only: Uint8Array | undefined
  #length = 0

  /** @param maxBytes maximum total size, for which address space is reserved */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  add(chunk: Uint8Array): void {
    if (this.#length === 0) this.#only = chunk
    else this.#append(chunk)
    this.#length += chunk.byteLength
  }

  #append(chunk: Uint8Array): void {
    const first = this.#only
    this.#memory ??= new ArrayBuffer(0, { maxByteLength: this.#maxBytes })
    const memory = this.#memory
    const length = this.#length + chunk.byteLength
    if (length > memory.byteLength) {
      memory.resize(Math.min(this.#maxBytes, Math.ceil(length / GROWTH_BYTES) * GROWTH_BYTES))
    }
    const bytes = new Uint8Array(memory)
    if (first) bytes.set(first)
    this.#only = undefined
    bytes.set(chunk, this.#length)
  }

  /** Empties this object and returns all bytes in memory of fixed length, which is faster to read. */
  take(): Uint8Array {
    const taken = this.#only ?? Uint8Array.from(this.#bytes())
    this.drop()
    return taken
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#memory ?? new ArrayBuffer(0), 0, this.#length)
  }

  /** Frees the memory. */
  drop(): void {
    this.#memory?.resize(0)
    this.#memory = undefined
    this.#only = undefined
    this.#length = 0
  }
}
