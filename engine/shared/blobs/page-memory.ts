/** Bytes of a page: little enough for a look at one block, enough to be worth a request. */
export const PAGE_BYTES = 256 << 10

export interface PageLimits {
  /** Bytes of pages that are kept of one object, and of all together. */
  readonly perObject: number
  readonly total: number
  /** Bytes of an object that one job may need at the same time; they are held besides. */
  readonly perJob: number
}

const DEFAULT_PAGE_LIMITS: PageLimits = {
  perObject: 32 << 20,
  total: 128 << 20,
  perJob: 128 << 20,
}

/** Bounds what the pages of all objects take; those of the object unused the longest go first. */
export class PageMemory {
  readonly limits: PageLimits
  /** In order of use. */
  readonly #keepers = new Set<PageCache>()
  #bytes = 0

  constructor(limits: PageLimits = DEFAULT_PAGE_LIMITS) {
    this.limits = limits
  }

  /** Bytes of all pages that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes a page into a keeper, and drops others for it. */
  add(keeper: PageCache, number: number, page: Uint8Array): void {
    this.#keepers.delete(keeper)
    this.#keepers.add(keeper)
    this.#bytes += keeper.put(number, page)
    while (keeper.bytes > this.limits.perObject) this.#bytes -= keeper.dropOldest()
    for (const other of this.#keepers) {
      while (this.#bytes > this.limits.total && other.bytes > 0) {
        this.#bytes -= other.dropOldest()
      }
      if (this.#bytes <= this.limits.total) return
    }
  }

  /** Forgets all pages of an object. */
  drop(keeper: PageCache): void {
    this.#keepers.delete(keeper)
    while (keeper.bytes > 0) this.#bytes -= keeper.dropOldest()
  }
}

/** The pages of one object that are kept. */
export class PageCache {
  /** By number, in order of use. */
  readonly #pages = new Map<number, Uint8Array>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  get(number: number): Uint8Array | undefined {
    const page = this.#pages.get(number)
    if (page) {
      this.#pages.delete(number)
      this.#pages.set(number, page)
    }
    return page
  }

  /** Returns by how many bytes more is kept. */
  put(number: number, page: Uint8Array): number {
    const before = this.#pages.get(number)?.length ?? 0
    this.#pages.delete(number)
    this.#pages.set(number, page)
    this.#bytes += page.length - before
    return page.length - before
  }

  /** Returns how many bytes that frees. */
  dropOldest(): number {
    const [oldest] = this.#pages
    if (!oldest) return 0
    const [number, { length }] = oldest
    this.#pages.delete(number)
    this.#bytes -= length
    return length
  }
}
