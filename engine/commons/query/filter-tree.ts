import type { FieldPath } from '../datasets/field-path.ts'
import type { Resolver } from '../datasets/resolver.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { FilterBudget } from './filter-budget.ts'

/** A condition on a dataset's records: plain frozen data that can cross to a thread. */
export type Filter = Junction | Leaf

export interface Junction {
  readonly kind: 'and' | 'or'
  /** At least one. */
  readonly parts: readonly Filter[]
  /**
   * A choice of its own (cohort.ts): so many first steps, the same of all its leaves, lead to elements of
   * which one satisfies all of it, shared with no other condition. Left out: each leaf is bound by itself.
   */
  readonly within?: number
  /** Facets count what passes all of it, also conditions on their own fields. */
  readonly isFixed?: true
}

/**
 * `=` is `in`, `!=` is `exclude`, `is` is `missing`, `not` is `present` or `exclude` (data-commons.md 1.1).
 * `starts` completes ids, in any case; no filter text has it.
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
   * Numbers for number fields; texts, folded as the field's type says, for all others. One for a
   * comparison, none for `missing`, `present` and `range`.
   */
  readonly values: readonly FilterValue[]
  /** Sets whose members are values besides, by the keys of their rows (release/layout.ts). */
  readonly sets?: readonly ArrayKey[] | undefined
  /** Texts that each value of the column is searched for, about: those of patterns other than starts. */
  readonly chunks: number
  /** For `range` alone: the value lies in one of them. */
  readonly ranges: readonly ValueRange[]
  /** Where it stood: `filters.content[1]`. */
  readonly at: string
}

export type FilterValue = string | number

export interface ValueRange {
  /** Inclusive; absent: from the least value on. */
  readonly from?: FilterValue
  /** Exclusive; absent: to the greatest value. */
  readonly to?: FilterValue
}

/** A reading, step by step: some values at a time. */
export type ReadingSteps<Result> = Generator<undefined, Result, undefined>

/** What reading one filter shares. */
export interface FilterContext {
  /** Finds a field by the name that a filter gave it. */
  readonly resolve: (name: string) => FieldPath | undefined
  /** Finds the name that was meant by one that no field has. */
  readonly nearest?: Resolver['nearest'] | undefined
  /** What the records are called in messages: `files`. */
  readonly records: string
  /** What it may still have. */
  readonly budget: FilterBudget
}
