import type { Pagination } from '../render/frame.ts'

interface Page {
  /** Number of records in this response. */
  readonly count: number
  readonly total: number
  readonly size: number
  readonly from: number
  /** Whether the request has a sort order. */
  readonly sorted: boolean
}

/** Returns the position of a page (data-commons.md 3.1). `sort` is `None` if an order is requested, else empty. */
export function paginationOf({ count, total, size, from, sorted }: Page): Pagination {
  const step = Math.max(size, 1)
  return {
    count,
    total,
    size,
    from,
    sort: sorted ? 'None' : '',
    page: total === 0 ? 0 : Math.floor(from / step) + 1,
    pages: Math.ceil(total / step),
  }
}
