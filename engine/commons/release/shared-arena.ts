/** Alignment of extents in bytes. */
const PAGE_BYTES = 4096

interface Range {
  start: number
  end: number
}

/**
 * One block of shared memory, from which extents are allocated and freed explicitly. Separate SharedArrayBuffers
 * would be freed only when V8 collects them in every thread that has seen them. V8 does not count their size, so
 * they could pile up to gigabytes. Pages that were never used take no memory.
 */
export class SharedArena {
  readonly size: number
  readonly #memory: () => Uint8Array<SharedArrayBuffer>
  /** Free ranges, ascending and never adjacent. */
  readonly #free: Range[]
  #freeBytes: number

  /**
   * @param bytes rounded down to whole pages
   * @param memory returns so many bytes of shared memory, always the same ones, which start at a page
   */
  constructor(bytes: number, memory = ownMemory(bytes)) {
    this.#memory = memory
    this.size = Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES
    this.#free = this.size > 0 ? [{ start: 0, end: this.size }] : []
    this.#freeBytes = this.size
  }

  get freeBytes(): number {
    return this.#freeBytes
  }

  /** Returns an extent of that length, or undefined if no free range is long enough. */
  take(bytes: number): Uint8Array<SharedArrayBuffer> | undefined {
    const length = wholePages(bytes)
    let best: Range | undefined
    for (const range of this.#free) {
      const target = range.end - range.start
      if (target >= length && (!best || target < best.end - best.start)) best = range
    }
    if (!best) return undefined
    const { start } = best
    best.start += length
    if (best.start === best.end) this.#free.splice(this.#free.indexOf(best), 1)
    this.#freeBytes -= length
    const { buffer, byteOffset } = this.#memory()
    return new Uint8Array(buffer, byteOffset + start, bytes)
  }

  /** Frees an extent, which must no longer be in use. */
  give({ byteOffset, length }: Uint8Array): void {
    const start = byteOffset - this.#memory().byteOffset
    const range = { start, end: start + wholePages(length) }
    this.#freeBytes += range.end - range.start
    let at = this.#free.findIndex(({ start }) => start > range.start)
    if (at < 0) at = this.#free.length
    this.#free.splice(at, 0, range)
    const next = this.#free[at + 1]
    if (next?.start === range.end) {
      range.end = next.end
      this.#free.splice(at + 1, 1)
    }
    const last = this.#free[at - 1]
    if (last?.end === range.start) {
      last.end = range.end
      this.#free.splice(at, 1)
    }
  }
}

/** Returns a function that allocates memory on its first call. */
function ownMemory(bytes: number): () => Uint8Array<SharedArrayBuffer> {
  let memory: Uint8Array<SharedArrayBuffer> | undefined
  return () => {
    memory ??= new Uint8Array(new SharedArrayBuffer(bytes))
    return memory
  }
}

/** Returns the number of bytes that an extent of this length occupies. */
export const wholePages = (bytes: number): number =>
  Math.max(1, Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES
