import type { FacetCount, FacetKind } from '../query.ts'

/** Counts of each kind; of a kind with members, several that differ. A new kind does not compile without any. */
export const FACET_COUNTS: { readonly [Kind in FacetKind]: readonly FacetCount<Kind>[] } = {
  values: [{ kind: 'values' }],
  intervals: [
    { kind: 'intervals', interval: 'year' },
    { kind: 'intervals', interval: 'month' },
  ],
  summary: [{ kind: 'summary' }],
  ranges: [
    { kind: 'ranges', ranges: [{ to: 5 }] },
    { kind: 'ranges', ranges: [{ from: 0 }, { from: 5, to: 10 }] },
  ],
}
