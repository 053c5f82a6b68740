import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { disjointRanges } from './facet-ranges.ts'
import { intervalsText, rangesText, summaryText, valuesText } from './facets.ts'
import { type CountedRecords, intervalsCost, type Layouts, valuesCost } from './field-cost.ts'
import type { Joins } from './joined.ts'
import type { FacetCount, FacetKind } from './query.ts'
import type { Selection } from './selection.ts'

/** What the engine has to know about one way to count a field. */
export interface FacetMethod<Count extends FacetCount> {
  /** The cost in about nanoseconds, from the sizes of the release alone. */
  readonly cost: (
    field: FieldPath,
    count: Count,
    records: CountedRecords,
    layouts: Layouts,
  ) => number
  /** The members of the facet's JSON object, without braces. */
  readonly text: (
    field: FieldPath,
    count: Count,
    rows: Selection,
    arrays: ReleaseArrays,
    joins?: Joins,
  ) => string
  /** Whether the cost falls with the rows that a selective filter leaves. */
  readonly isCheaperForFewRows: boolean
  /** Whether the count over all records is kept with the release. */
  readonly isKept: boolean
}

/** Everything that differs between the ways to count a field. A new way is one entry. */
export const FACET_KINDS: { readonly [Kind in FacetKind]: FacetMethod<FacetCount<Kind>> } = {
  values: {
    cost: (field, _, records, layouts) => valuesCost(field, records, layouts),
    text: (field, _, rows, arrays, joins) => valuesText(field, rows, arrays, joins),
    isCheaperForFewRows: true,
    isKept: true,
  },
  intervals: {
    cost: (field, _, records, layouts) => intervalsCost(field, records, layouts),
    text: (field, { interval }, rows, arrays) => intervalsText(field, interval, rows, arrays),
    isCheaperForFewRows: false,
    // A client may ask for any number of different intervals.
    isKept: false,
  },
  summary: {
    cost: (field, _, records, layouts) => valuesCost(field, { ...records, isAll: false }, layouts),
    text: (field, _, rows, arrays) => summaryText(field, rows, arrays),
    isCheaperForFewRows: false,
    isKept: true,
  },
  ranges: {
    cost: (field, { ranges }, records, layouts) =>
      disjointRanges(ranges).length * intervalsCost(field, records, layouts),
    text: (field, { ranges }, rows, arrays) => rangesText(field, ranges, rows, arrays),
    isCheaperForFewRows: false,
    isKept: false,
  },
}

/** The entry of `FACET_KINDS` for a count. */
export function kindOf<Count extends FacetCount>({ kind }: Count): FacetMethod<Count> {
  return FACET_KINDS[kind] as FacetMethod<FacetCount> as FacetMethod<Count>
}
