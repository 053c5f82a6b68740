import type { Dataset } from '../datasets/define.ts'
import { resolveField } from '../datasets/resolve.ts'
import type { Filter, Leaf } from '../query/filter-tree.ts'

/**
 * Records of which an id or name starts with a text, in any case (data-commons.md 4, `ids?query=`). Empty
 * text is the start of all.
 */
export function completionFilter(dataset: Dataset, start: string): Filter | undefined {
  const text = start.trim().toLowerCase()
  if (text === '') return undefined
  const parts = dataset.autocomplete.flatMap((name): Leaf[] => {
    const field = resolveField(dataset, name)
    if (!field) return []
    return [{ kind: 'leaf', op: 'starts', field, values: [text], ranges: [], at: 'query' }]
  })
  return { kind: 'or', parts }
}
