import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Filter } from './filter-tree.ts'
import type { Interval } from './intervals.ts'

/** A search over one dataset, as plain data that can be sent to worker threads. */
export interface Query {
  readonly dataset: DatasetName
  /** Filter. Absent means all records. */
  readonly filter?: Filter | undefined
  readonly facets: readonly Facet[]
  readonly sort: readonly SortOrder[]
  /** Position of the page's first record, counted from 0. */
  readonly from: number
  /** Maximum number of records on the page. */
  readonly size: number
}

/** A facet: the counts of one field. */
export interface Facet {
  /** Field name as requested, which is also its name in the response. */
  readonly name: string
  readonly field: FieldPath
  /** At least one count, each of a different kind. */
  readonly counts: readonly FacetCount[]
  /**
   * Whether conditions on the field itself apply to its counts. By default they do not (data-commons.md 3.4).
   */
  readonly isFiltered?: true
}

/** Kinds of counts. Their methods are in `FACET_KINDS` (facet-kinds.ts). */
interface FacetCounts {
  /**
   * Counts the values of a text field, or computes the statistics of a number field (data-commons.md 3.4).
   */
  readonly values: { readonly kind: 'values' }
  /** Counts the intervals of numbers or dates (data-commons.md 11.40). */
  readonly intervals: { readonly kind: 'intervals'; readonly interval: Interval }
  /** Computes the moments and quartiles of a number field (portal.md 4.4). */
  readonly summary: { readonly kind: 'summary' }
  /** Counts the records with a value in each numeric range (portal.md 4.4). */
  readonly ranges: { readonly kind: 'ranges'; readonly ranges: readonly NumberRange[] }
}

export interface NumberRange {
  /** Lower bound, inclusive. Absent means unbounded. */
  readonly from?: number
  /** Upper bound, exclusive. Absent means unbounded. */
  readonly to?: number
}

export type FacetKind = keyof FacetCounts

export type FacetCount<Kind extends FacetKind = FacetKind> = FacetCounts[Kind]

export interface SortOrder {
  readonly field: FieldPath
  readonly descending: boolean
}

export interface Answer {
  /** Number of records that pass the filter. */
  readonly total: number
  /** Rows of the page, in order. */
  readonly rows: Uint32Array
  /** JSON text of the `aggregations` object (data-commons.md 3.4). Absent if no facets were requested. */
  readonly aggregations?: Uint8Array
}
