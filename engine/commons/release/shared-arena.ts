/** Extents begin at multiples of this. */
const PAGE_BYTES = 4096

interface Range {
  start: number
  end: number
}

/**
 * One chunk of shared memory that is handed out in extents and taken back by hand. Memory of
 * many SharedArrayBuffers would be freed when V8 happens to collect it in every thread that has
 * seen it; V8 does not count such memory, so that can take gigabytes. Pages that were never used
 * take no space.
 */
export class SharedArena {
  readonly size: number
  #buffer: SharedArrayBuffer | undefined
  /** Ascending, never adjacent. */
  readonly #free: Range[]
  #freeBytes: number

  /** @param bytes rounded down to whole pages */
  constructor(bytes: number) {
    this.size = Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES
    this.#free = this.size > 0 ? [{ start: 0, end: this.size }] : []
    this.#freeBytes = this.size
  }

  get freeBytes(): number {
    return this.#freeBytes
  }

  /** An extent of that length; `undefined` when no free range is long enough. */
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
    this.#buffer ??= new SharedArrayBuffer(this.size)
    return new Uint8Array(this.#buffer, start, bytes)
  }

  /** Takes an extent back; nobody may look at it any more. */
  give({ byteOffset, length }: Uint8Array): void {
    const range = { start: byteOffset, end: byteOffset + wholePages(length) }
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

/** What an extent of so many bytes occupies. */
export const wholePages = (bytes: number): number =>
  Math.max(1, Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES
