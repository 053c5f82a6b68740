import { jsonOf } from '../../render/values.ts'
import type { ProjectCounts } from './projects.ts'

/**
 * Renders counts by project like the real service's aggregations (data-commons.md 6.6, 6.7): without an
 * envelope, in a frame where only `hits.total` and the buckets are meaningful.
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

/** All buckets are present, so none are left out and no count is an estimate. */
export const bucketsOf = (buckets: readonly object[]) => ({
  doc_count_error_upper_bound: 0,
  sum_other_doc_count: 0,
  buckets,
})
