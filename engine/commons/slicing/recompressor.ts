import { compressBlock } from '../../shared/formats/bgzf.ts'

/** Version of the output for a given input. Increment it when the bytes change. */
export const RECOMPRESSOR = 1

/** Collects inflated bytes and compresses them into full blocks. */
export class Recompressor {
  readonly #pending: Uint8Array
  readonly #blocks: Uint8Array[] = []
  #filled = 0
  #length = 0

  /** @param pending buffer for the inflated bytes of one block */
  constructor(pending: Uint8Array) {
    this.#pending = pending
  }

  /** Inflated bytes so far. */
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
   * Writes all blocks, without an end marker, to `target` if they fit, otherwise to a new buffer. Returns the
   * bytes written.
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
    // Level 1, because these few percent of a slice's bytes take most of its time.
    this.#blocks.push(compressBlock(this.#pending.subarray(0, this.#filled), 1))
    this.#filled = 0
  }
}
