import type { FieldPath } from '../datasets/field-path.ts'
import type { Resolver } from '../datasets/resolver.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { FilterBudget } from './filter-budget.ts'

/** A condition on a dataset's records, as plain frozen data that can be sent to worker threads. */
export type Filter = Junction | Leaf

export interface Junction {
  readonly kind: 'and' | 'or'
  /** Operands, at least one. */
  readonly parts: readonly Filter[]
  /**
   * Number of leading steps that all leaves share and that lead to the element which must satisfy this whole
   * junction. No other condition uses this element (cohort.ts). Undefined if each leaf binds separately.
   */
  readonly within?: number
  /** Whether facets also apply those parts of the junction that are conditions on the facet's own field. */
  readonly isFixed?: true
}

/**
 * Canonical operator (data-commons.md 1.1): `=` becomes `in`, `!=` becomes `exclude`, `is` becomes `missing`,
 * `not` becomes `present` or `exclude`. `starts` is internal, for completing ids in any case.
 */
export type LeafOp =
  | 'in'
  | 'exclude'
  | 'excludeifany'
  | 'missing'
  | 'present'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'range'
  | 'starts'

export interface Leaf {
  readonly kind: 'leaf'
  readonly op: LeafOp
  readonly field: FieldPath
  /**
   * Values in the form that the field's type compares: numbers for a number field, otherwise texts. A comparison
   * has one value. `missing`, `present` and `range` have none.
   */
  readonly values: readonly FilterValue[]
  /** Keys of arrays with the rows of stored sets, whose members also count as values (release/layout.ts). */
  readonly sets?: readonly ArrayKey[] | undefined
  /** Number of values after the first one of a comparison, which uses only the first. Undefined if there are none. */
  readonly unusedCount?: number | undefined
  /** Number of parts of patterns to search for in each value of the column. 0 for plain values and prefixes. */
  readonly searchedPartCount: number
  /** Ranges, one of which must contain the value. Only for `range`. */
  readonly ranges: readonly ValueRange[]
  /** Place in the request, such as `filters.content[1]`. */
  readonly at: string
}

export type FilterValue = string | number

export interface ValueRange {
  /** Lower bound, inclusive. Undefined means unbounded. */
  readonly from?: FilterValue
  /** Upper bound, exclusive. Undefined means unbounded. */
  readonly to?: FilterValue
}

/** Parser that yields after a few values, so that the caller can pause for other work. */
export type ReadingSteps<Result> = Generator<undefined, Result, undefined>

export interface FilterContext {
  /** Resolves a field name of the filter. */
  readonly resolve: (name: string) => FieldPath | undefined
  /** Returns a field with a similar name, for the message about an unknown one. */
  readonly nearest?: Resolver['nearest'] | undefined
  /** Word for the records in messages, such as `files`. */
  readonly records: string
  /** Remaining budget of the request's filters. */
  readonly budget: FilterBudget
}
