/** Blocks of one extent of the file: offsets from the extent's start, and lengths. */
export interface Frames {
  readonly starts: Uint32Array
  readonly lengths: Uint32Array
}

/** Rows learned for a file without a directory are kept up to this many (about 60 MB). */
const MAX_LEARNED = 1_000_000

/**
 * For a file without a directory: CRC32 of the compressed bytes of blocks that were once proved in
 * full. Comparing it is thirty times cheaper than inflating, and proves the same as long as the file keeps its identity.
 */
export class Ledger {
  readonly #learned = new Map<number, number>()

  /** The checksums of all the blocks, or undefined when one of them was never proved. */
  expected(offset: number, { starts }: Frames): Uint32Array | undefined {
    const count = starts.length
    const checksums = new Uint32Array(count)
    for (let i = 0; i < count; i++) {
      const checksum = this.#learned.get(offset + starts[i]!)
      if (checksum === undefined) return undefined
      checksums[i] = checksum
    }
    return checksums
  }

  /** Remembers blocks that have just been proved. */
  learn(offset: number, { starts }: Frames, checksums: Uint32Array): void {
    if (this.#learned.size > MAX_LEARNED) return
    for (let i = 0; i < checksums.length; i++) {
      this.#learned.set(offset + starts[i]!, checksums[i]!)
    }
  }
}
