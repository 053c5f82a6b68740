import { compressBlock } from '../../shared/formats/bgzf.ts'

/** Which bytes come of the same input; another number once they become others. */
export const RECOMPRESSOR = 1

/** Collects inflated bytes and packs them into full blocks. */
export class Recompressor {
  readonly #pending: Uint8Array
  readonly #blocks: Uint8Array[] = []
  #filled = 0
  #length = 0

  /** @param pending space for the inflated bytes of one block */
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
   * Puts all blocks, without an end marker, into `space` if they fit there, else into a buffer of
   * their own; returns that part of it.
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
    // Level 1: these bytes are a few percent of a slice but most of its time.
    this.#blocks.push(compressBlock(this.#pending.subarray(0, this.#filled), 1))
    this.#filled = 0
  }
}
