import { compressBlock, WRITE_BLOCK_BYTES } from '../formats/bgzf.ts'

/** Collects inflated bytes and packs them into full blocks. */
export class Recompressor {
  readonly #pending = Buffer.allocUnsafeSlow(WRITE_BLOCK_BYTES)
  readonly #blocks: Uint8Array[] = []
  #filled = 0

  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + WRITE_BLOCK_BYTES - this.#filled)
      this.#pending.set(part, this.#filled)
      this.#filled += part.length
      from += part.length
      if (this.#filled === WRITE_BLOCK_BYTES) this.#flush()
    }
  }

  /** All blocks in one buffer of its own, without an end marker. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#flush()
    const length = this.#blocks.reduce((sum, block) => sum + block.length, 0)
    const all = new Uint8Array(length)
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
