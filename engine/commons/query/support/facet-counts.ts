import type { FacetCount, FacetKind } from '../query.ts'

/** Examples of counts for each kind of facet. A new kind does not compile without an entry. */
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
