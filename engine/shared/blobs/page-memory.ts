/** Size of a page in bytes: small enough for reading one block, large enough to be worth a request. */
export const PAGE_BYTES = 256 << 10

interface PageLimits {
  /** Maximum bytes of cached pages, per object and in total. */
  readonly perObject: number
  readonly total: number
  /** Maximum bytes of an object that one job may keep at a time. They do not count towards `total`. */
  readonly perJob: number
}

const DEFAULT_PAGE_LIMITS: PageLimits = {
  perObject: 32 << 20,
  total: 128 << 20,
  perJob: 128 << 20,
}

/** Limits the memory of all page caches. Pages of the least recently used object are evicted first. */
export class PageMemory {
  readonly limits: PageLimits
  /** Caches, least recently used first. */
  readonly #keepers = new Set<PageCache>()
  #bytes = 0

  constructor(limits: PageLimits = DEFAULT_PAGE_LIMITS) {
    this.limits = limits
  }

  /** Bytes of all cached pages. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a page to a cache. If a limit is exceeded, other pages are evicted. */
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

  /** Drops all cached pages of an object. */
  drop(keeper: PageCache): void {
    this.#keepers.delete(keeper)
    while (keeper.bytes > 0) this.#bytes -= keeper.dropOldest()
  }
}

/** Cached pages of one object. */
export class PageCache {
  /** Pages keyed by number, least recently used first. */
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

  /** Adds a page and returns by how many bytes the cache grew. */
  put(number: number, page: Uint8Array): number {
    const before = this.#pages.get(number)?.length ?? 0
    this.#pages.delete(number)
    this.#pages.set(number, page)
    this.#bytes += page.length - before
    return page.length - before
  }

  /** Evicts the least recently used page. Returns its size in bytes. */
  dropOldest(): number {
    const [oldest] = this.#pages
    if (!oldest) return 0
    const [number, { length }] = oldest
    this.#pages.delete(number)
    this.#bytes -= length
    return length
  }
}
