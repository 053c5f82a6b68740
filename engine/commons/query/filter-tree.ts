import type { FieldPath } from '../datasets/field-path.ts'
import type { Resolver } from '../datasets/resolver.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { FilterBudget } from './filter-budget.ts'

/** A condition on a dataset's records, as plain frozen data that can be sent to worker threads. */
export type Filter = Junction | Leaf

export interface Junction {
  readonly kind: 'and' | 'or'
  /** At least one part. */
  readonly parts: readonly Filter[]
  /**
   * Number of first steps, equal in all leaves, that lead to the elements of which one must satisfy this
   * whole junction, shared with no other condition (cohort.ts). Without it, each leaf binds separately.
   */
  readonly within?: number
  /** Whether facets apply all of it, including conditions on their own fields. */
  readonly isFixed?: true
}

/**
 * Canonical operator: `=` is `in`, `!=` is `exclude`, `is` is `missing`, `not` is `present` or `exclude`
 * (data-commons.md 1.1). `starts` is internal, for completing ids in any case.
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
   * Numbers for number fields, otherwise texts folded according to the field's type. Comparisons have one
   * value; `missing`, `present` and `range` have none.
   */
  readonly values: readonly FilterValue[]
  /** Sets whose members are values too, as the keys of their rows (release/layout.ts). */
  readonly sets?: readonly ArrayKey[] | undefined
  /**
   * Estimated number of texts searched for in each value of the column. Only patterns other than prefixes
   * have any.
   */
  readonly chunks: number
  /** Ranges of which one must contain the value. Only for `range`. */
  readonly ranges: readonly ValueRange[]
  /** Place in the request, such as `filters.content[1]`. */
  readonly at: string
}

export type FilterValue = string | number

export interface ValueRange {
  /** Lower bound, inclusive. Absent means unbounded. */
  readonly from?: FilterValue
  /** Upper bound, exclusive. Absent means unbounded. */
  readonly to?: FilterValue
}

/** Parser that yields after every few values, so that it can be interleaved with other work. */
export type ReadingSteps<Result> = Generator<undefined, Result, undefined>

/** Context shared while one filter is parsed. */
export interface FilterContext {
  /** Resolves a field name of the filter. */
  readonly resolve: (name: string) => FieldPath | undefined
  /** Suggests a field for an unknown name. */
  readonly nearest?: Resolver['nearest'] | undefined
  /** Word for the records in messages, such as `files`. */
  readonly records: string
  /** Remaining budget of the request. */
  readonly budget: FilterBudget
}
