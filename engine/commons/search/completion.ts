import type { Dataset } from '../datasets/define.ts'
import { resolveField } from '../datasets/resolve.ts'
import type { Filter, Leaf } from '../query/filter-tree.ts'
import { regionLeaf } from '../query/regions.ts'

/**
 * Returns a filter for records with an id or name that starts with a text, in any case (data-commons.md 4,
 * `ids?query=`), or that overlap the region it names. Empty text matches all records.
 */
export function completionFilter(dataset: Dataset, start: string): Filter | undefined {
  const text = start.trim().toLowerCase()
  if (text === '') return undefined
  const parts = dataset.autocomplete.flatMap((name): Leaf[] => {
    const field = resolveField(dataset, name)
    if (!field) return []
    const values = { values: [text], searchedPartCount: 0, ranges: [] }
    return [{ kind: 'leaf', op: 'starts', field, ...values, at: 'query' }]
  })
  const region = regionLeaf(start, (name) => resolveField(dataset, name))
  return { kind: 'or', parts: region ? [...parts, region] : parts }
}
