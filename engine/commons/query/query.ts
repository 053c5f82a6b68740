import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Filter } from './filter-tree.ts'
import type { Interval } from './intervals.ts'

/** A search over one dataset. Plain data, so that it can cross to a thread. */
export interface Query {
  readonly dataset: DatasetName
  /** Absent: all records. */
  readonly filter?: Filter | undefined
  readonly facets: readonly Facet[]
  readonly sort: readonly SortOrder[]
  /** Place of the first record of the page, counted from 0. */
  readonly from: number
  /** Most records of the page. */
  readonly size: number
}

/** What is counted of one field. */
export interface Facet {
  /** The field as the request names it; the answer bears this name. */
  readonly name: string
  readonly field: FieldPath
  /** At least one, each of another kind. */
  readonly counts: readonly FacetCount[]
  /** Conditions on the field itself apply to its counts, too; left out, they do not (data-commons.md 3.4). */
  readonly isFiltered?: true
}

/** The ways to count a field, by kind. What each of them does stands in `FACET_KINDS` (facet-kinds.ts). */
export interface FacetCounts {
  /** The values of a text field, and the statistics of a number field (data-commons.md 3.4). */
  readonly values: { readonly kind: 'values' }
  /** The intervals that numbers or dates fall into (data-commons.md 11.40). */
  readonly intervals: { readonly kind: 'intervals'; readonly interval: Interval }
  /** Moments and quartiles of a number field (portal.md 4.4). */
  readonly summary: { readonly kind: 'summary' }
  /** The ranges of numbers that records have a value in (portal.md 4.4). */
  readonly ranges: { readonly kind: 'ranges'; readonly ranges: readonly NumberRange[] }
}

export interface NumberRange {
  /** Inclusive; absent: from the least number on. */
  readonly from?: number
  /** Exclusive; absent: to the greatest number. */
  readonly to?: number
}

export type FacetKind = keyof FacetCounts

export type FacetCount<Kind extends FacetKind = FacetKind> = FacetCounts[Kind]

export interface SortOrder {
  readonly field: FieldPath
  readonly descending: boolean
}

export interface Answer {
  /** Records that pass the filter. */
  readonly total: number
  /** Rows of the page, in order. */
  readonly rows: Uint32Array
  /** JSON text of the `aggregations` object (data-commons.md 3.4); absent when no facet was asked for. */
  readonly aggregations?: Uint8Array
}
