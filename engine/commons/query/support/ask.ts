import type { DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { createResolver } from '../../datasets/resolver.ts'
import { selectFacets, sortKeys } from '../../datasets/select.ts'
import { evaluate } from '../evaluate.ts'
import { withHistograms } from '../histograms.ts'
import type { Query } from '../query.ts'
import type { MemoryRelease } from './memory-release.ts'
import { parseFilter } from './parse-filter.ts'

interface Asked {
  readonly filters?: unknown
  readonly facets?: readonly string[]
  readonly histograms?: readonly string[]
  readonly sort?: readonly string[]
  readonly from?: number
  readonly size?: number
}

export function queryOf(
  name: DatasetName,
  { filters, facets = [], histograms = [], sort = [], from = 0, size = 1e8 }: Asked,
): Query {
  const dataset = DATASETS[name]
  const resolver = createResolver(dataset)
  return {
    dataset: name,
    filter: parseFilter(dataset, filters),
    from,
    size,
    facets: withHistograms(selectFacets(facets, resolver).facets, histograms, resolver).facets,
    sort: sortKeys(dataset, sort),
  }
}

/** Evaluates a search. Returns the ids of the page, the total and the aggregations. */
export function ask(release: MemoryRelease, dataset: DatasetName, asked: Asked) {
  const { total, rows, aggregations } = evaluate(queryOf(dataset, asked), release.arrays)
  const { idField } = DATASETS[dataset]
  return {
    total,
    ids: Array.from(rows, (row) => String(release.documents[dataset][row]?.[idField])),
    ...(aggregations && { aggregations: JSON.parse(new TextDecoder().decode(aggregations)) }),
  }
}

/** Returns a condition as JSON. The value may be left out. */
export const on = (field: string, op: string, ...value: readonly [unknown?]) => ({
  op,
  content: { field, ...(value.length > 0 && { value: value[0] }) },
})

export const and = (...content: readonly unknown[]) => ({ op: 'and', content })
export const or = (...content: readonly unknown[]) => ({ op: 'or', content })
