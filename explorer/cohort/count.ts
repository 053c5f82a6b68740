import type { Filter } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'

/** The part of a search's answer that pages read. */
export interface SearchAnswer<Hit = unknown> {
  readonly data: {
    readonly hits: readonly Hit[]
    readonly pagination: { readonly total: number }
    readonly aggregations?: Readonly<Record<string, Aggregation>>
  }
}

/** Counts by value, counts by interval, or a summary of numbers. */
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

/** How many cases the filter lets pass. */
export const countRequest = (filters: Filter | undefined): ServiceRequest => ({
  path: '/cases',
  query: { size: 0 },
  filters,
})
