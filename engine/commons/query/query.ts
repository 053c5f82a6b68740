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

export interface Facet {
  /** As it was asked for; the answer bears it. */
  readonly name: string
  readonly field: FieldPath
  /** Its values are counted by intervals too (data-commons.md 11.40). */
  readonly interval?: Interval | undefined
  /** They are counted by intervals alone. */
  readonly isHistogramOnly?: boolean | undefined
}

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
