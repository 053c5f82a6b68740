import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Filter } from './filter-tree.ts'
import type { Interval } from './intervals.ts'

/** A search over one dataset, as plain data that can be sent to worker threads. */
export interface Query {
  readonly dataset: DatasetName
  /** Filter. Undefined matches all records. */
  readonly filter?: Filter | undefined
  readonly facets: readonly Facet[]
  readonly sort: readonly SortOrder[]
  readonly from: number
  /** Maximum number of records on the page. */
  readonly size: number
}

/** A facet: counts over the values of one field. */
export interface Facet {
  /** Field name as requested, which is also its name in the response. */
  readonly name: string
  readonly field: FieldPath
  /** Kinds of counts to make, at least one and each at most once. */
  readonly counts: readonly FacetCount[]
  /** Whether conditions on the facet's own field apply to it. By default they do not (data-commons.md 3.4). */
  readonly isFiltered?: true
}

/** Kinds of counts. FACET_KINDS (facet-kinds.ts) has a function for each. */
interface FacetCounts {
  /** Counts the values of a text field, or computes the statistics of a number field (data-commons.md 3.4). */
  readonly values: { readonly kind: 'values' }
  /** Counts the intervals of numbers or dates (data-commons.md 11.40). */
  readonly intervals: { readonly kind: 'intervals'; readonly interval: Interval }
  /** Computes the moments and quartiles of a number field (portal.md 4.4). */
  readonly summary: { readonly kind: 'summary' }
  /** Counts the records with a value in each numeric range (portal.md 4.4). */
  readonly ranges: { readonly kind: 'ranges'; readonly ranges: readonly NumberRange[] }
}

export interface NumberRange {
  /** Lower bound, inclusive. Undefined means unbounded. */
  readonly from?: number
  /** Upper bound, exclusive. Undefined means unbounded. */
  readonly to?: number
}

export type FacetKind = keyof FacetCounts

export type FacetCount<Kind extends FacetKind = FacetKind> = FacetCounts[Kind]

export interface SortOrder {
  readonly field: FieldPath
  readonly descending: boolean
}

export interface Answer {
  readonly total: number
  /** Rows of the page, in order. */
  readonly rows: Uint32Array
  /** JSON text of the `aggregations` object (data-commons.md 3.4). Undefined if no facets were requested. */
  readonly aggregations?: Uint8Array
}
