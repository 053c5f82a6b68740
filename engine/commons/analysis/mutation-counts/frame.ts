import { jsonOf } from '../../render/values.ts'
import type { ProjectCounts } from './projects.ts'

/**
 * Renders counts by project in the shape of the public service's aggregations (data-commons.md 6.6, 6.7).
 * Only `hits.total` and the buckets have meaningful values.
 */
export function frameOf(
  count: () => ProjectCounts,
  { pretty }: { readonly pretty: boolean },
): Uint8Array<ArrayBuffer> {
  const start = performance.now()
  const { total, buckets } = count()
  const frame = {
    took: Math.round(performance.now() - start),
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: { total: { value: total, relation: 'eq' }, max_score: null, hits: [] },
    aggregations: { projects: bucketsOf(buckets) },
  }
  return jsonOf(frame, { pretty })
}

/** Returns a facet with all of its buckets, so that no count is approximate. */
export const bucketsOf = (buckets: readonly object[]) => ({
  doc_count_error_upper_bound: 0,
  sum_other_doc_count: 0,
  buckets,
})
