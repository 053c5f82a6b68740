import type { Job } from '../../shared/executor.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import { facetText } from './facets.ts'
import type { Memo } from './joined.ts'
import { pageOf } from './page.ts'
import type { Answer, Query } from './query.ts'
import { selectRows } from './select.ts'
import { uniqueFacets } from './split.ts'

export type { Answer, Facet, Query, SortOrder } from './query.ts'

/**
 * Answers a query on arrays that hold at least what `keysOf` names (data-commons.md 1, 2.1, 3.4): how many
 * records pass, the rows of the page, the facets.
 * @param keep keeps what can be used again for the dataset of this release
 */
export function evaluate(query: Query, arrays: ReleaseArrays, memo?: Memo): Answer {
  const facets = uniqueFacets(query.facets)
  const fields = facets.map(({ field }) => field.path)
  const selected = selectRows(query.dataset, query.filter, fields, arrays)
  const rows = pageOf(query, selected.rows, arrays)
  const total = selected.rows.count
  if (facets.length === 0) return { total, rows }
  const members = facets.map((facet, i) => {
    const counted = selected.facets[i] ?? selected.rows
    return `${JSON.stringify(facet.name)}:${facetText(facet, counted, arrays, memo)}`
  })
  const aggregations = new TextEncoder().encode(`{${members.join(',')}}`)
  return { total, rows, aggregations }
}

export interface EvaluateInput {
  readonly query: Query
  readonly loaded: LoadedArrays
}

export const evaluateJob: Job<EvaluateInput, Answer> = {
  name: 'query.evaluate',
  run({ query, loaded }, scratch) {
    const place = `${loaded.releaseId} ${query.dataset}`
    const memo: Memo = (key, make) => scratch.cached(`${place} ${key}`, make)
    return evaluate(query, arraysOf(loaded), memo)
  },
  transfer: ({ rows, aggregations }) =>
    [rows, aggregations].flatMap((list) => (list ? [list.buffer as ArrayBuffer] : [])),
}
