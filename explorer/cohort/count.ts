import type { Filter } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'

/** The members of a search response that pages read. */
export interface SearchAnswer<Hit = unknown> {
  readonly data: {
    readonly hits: readonly Hit[]
    readonly pagination: { readonly total: number }
    readonly aggregations?: Readonly<Record<string, Aggregation>>
  }
}

/** Counts by value or interval, or statistics of numbers. */
export interface Aggregation {
  readonly buckets?: readonly Bucket[]
  readonly histogram?: { readonly interval: number | string; readonly buckets: readonly Bucket[] }
  readonly stats?: {
    readonly count: number
    readonly min: number | null
    readonly max: number | null
    readonly avg: number | null
  }
}

export interface Bucket {
  readonly key: string
  readonly doc_count: number
}

/** Creates the request that counts the cases of a filter. */
export const countRequest = (filters: Filter | undefined): ServiceRequest => ({
  path: '/cases',
  query: { size: 0 },
  filters,
})
