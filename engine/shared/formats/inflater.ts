/** Room that the kernel has for a block, deflated or inflated. */
const MAX_BYTES = 65_536

/** The exports of kernels/inflate.ts. */
interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly SOURCE: { readonly value: number }
  readonly TARGET: { readonly value: number }
  inflate(source: number, sourceEnd: number, target: number, most: number): number
}

/** Inflates blocks in WebAssembly into reused memory. zlib makes a stream and a buffer for each (ADR 115). */
export class Inflater {
  readonly #kernel: Kernel
  readonly #source: number
  readonly #target: number
  readonly #memory: Uint8Array

  /** @param exports those of an instance of kernels/inflate.ts, which nothing else uses */
  constructor(exports: unknown) {
    this.#kernel = exports as Kernel
    this.#source = this.#kernel.SOURCE.value
    this.#target = this.#kernel.TARGET.value
    this.#memory = new Uint8Array(this.#kernel.memory.buffer)
  }

  /**
   * Inflates the raw deflate stream of one block. Returns undefined for unusual or invalid data, which zlib then
   * decodes or rejects.
   * @returns the inflated bytes, valid until the next call, or undefined
   */
  inflate(deflated: Uint8Array): Uint8Array | undefined {
    if (deflated.length > MAX_BYTES) return undefined
    const source = this.#source
    const target = this.#target
    this.#memory.set(deflated, source)
    const end = source + deflated.length
    const length = this.#kernel.inflate(source, end, target, MAX_BYTES)
    return length < 0 ? undefined : this.#memory.subarray(target, target + length)
  }
}
