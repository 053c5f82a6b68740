import { compressBlock } from '../../shared/formats/bgzf.ts'

/** Version of the compressed output. Increment it when equal input gives other bytes than before. */
export const RECOMPRESSOR = 1

/** Collects inflated bytes and compresses them into blocks of full size. */
export class Recompressor {
  readonly #pending: Uint8Array
  readonly #blocks: Uint8Array[] = []
  #filled = 0
  #length = 0

  /** @param pending buffer for the inflated bytes of one block */
  constructor(pending: Uint8Array) {
    this.#pending = pending
  }

  /** Number of inflated bytes collected so far. */
  get length(): number {
    return this.#length
  }

  add(bytes: Uint8Array): void {
    this.#length += bytes.length
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + this.#pending.length - this.#filled)
      this.#pending.set(part, this.#filled)
      this.#filled += part.length
      from += part.length
      if (this.#filled === this.#pending.length) this.#flush()
    }
  }

  /**
   * Writes all blocks, without an end marker, to `target`, or to a new buffer if they do not fit. Returns the
   * written bytes.
   */
  finish(target: Uint8Array): Uint8Array {
    this.#flush()
    const length = this.#blocks.reduce((sum, block) => sum + block.length, 0)
    const all = length <= target.length ? target.subarray(0, length) : new Uint8Array(length)
    let at = 0
    for (const block of this.#blocks) {
      all.set(block, at)
      at += block.length
    }
    return all
  }

  #flush(): void {
    if (this.#filled === 0) return
    // Level 1 is used, because compressing these few percent of the bytes takes most of a slice's time.
    this.#blocks.push(compressBlock(this.#pending.subarray(0, this.#filled), 1))
    this.#filled = 0
  }
}
