import type { Pagination } from '../render/frame.ts'

export interface Page {
  /** Records in this answer. */
  readonly count: number
  readonly total: number
  readonly size: number
  readonly from: number
  /** Whether an order was asked for. */
  readonly sorted: boolean
}

/** Where a page stands (data-commons.md 3.1): `sort` says `None` for any order, and nothing for none. */
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
