import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { disjointRanges } from './facet-ranges.ts'
import { intervalsText, rangesText, summaryText, valuesText } from './facets.ts'
import { type CountedRecords, intervalsCost, type Layouts, valuesCost } from './field-cost.ts'
import type { Joins } from './joined.ts'
import type { FacetCount, FacetKind } from './query.ts'
import type { Selection } from './selection.ts'

/** Functions for one kind of facet count. */
interface FacetMethod<Count extends FacetCount> {
  /** Returns the estimated cost in nanoseconds, from the sizes in the release's manifest. */
  readonly cost: (
    field: FieldPath,
    count: Count,
    records: CountedRecords,
    layouts: Layouts,
  ) => number
  /** Returns fields of the facet's JSON object, without braces. */
  readonly text: (
    field: FieldPath,
    count: Count,
    rows: Selection,
    arrays: ReleaseArrays,
    joins?: Joins,
  ) => string
  /** Whether counting is cheaper when a filter leaves few rows. */
  readonly isCheaperForFewRows: boolean
  /** Whether counts over all records are cached for each release. */
  readonly isKept: boolean
}

/** Functions for every kind of facet count. Adding a kind means adding an entry here. */
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
    // Not cached, because clients may request any number of different intervals.
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

/** Returns the methods for a kind of facet count, typed for that kind. */
export function kindOf<Count extends FacetCount>({ kind }: Count): FacetMethod<Count> {
  return FACET_KINDS[kind] as FacetMethod<FacetCount> as FacetMethod<Count>
}
