/** Grown by as much at a time: each growth is a call of the system. */
const GROWTH_BYTES = 256 * 1024

/**
 * Bytes that come in chunks, for who may have to let them go at any time. They lie in memory of their
 * own that grows in place and is given back at once. A list of the chunks would be left to the
 * garbage collector, which does not look while nothing happens, and to the allocator, whose small
 * blocks stay with the process.
 */
export class GatheredBytes {
  readonly #maxBytes: number
  #memory: ArrayBuffer | undefined
  /** A chunk that is alone is not copied. */
  #only: Uint8Array | undefined
  #length = 0

  /** @param maxBytes that will be added at most; the address space for them is taken */
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

  /** All bytes, in memory of fixed length, which is faster to read. Nothing is left here. */
  take(): Uint8Array {
    const taken = this.#only ?? Uint8Array.from(this.#bytes())
    this.drop()
    return taken
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#memory ?? new ArrayBuffer(0), 0, this.#length)
  }

  /** Gives the memory back. */
  drop(): void {
    this.#memory?.resize(0)
    this.#memory = undefined
    this.#only = undefined
    this.#length = 0
  }
}
