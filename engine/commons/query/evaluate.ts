import type { Job } from '../../shared/executor.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import { kindOf } from './facet-kinds.ts'
import type { Joins } from './joined.ts'
import { pageOf } from './page.ts'
import type { Answer, Facet, Query } from './query.ts'
import { planRows, type RowPlan, selectPlanned } from './select.ts'
import { uniqueFacets } from './split.ts'

/**
 * Evaluates a query (data-commons.md 1, 2.1, 3.4). Returns the number of matches, the rows of the page, and the
 * facets.
 * @param arrays must contain those that `keysOf(query)` (keys.ts) lists
 * @param joins fields whose values were joined to the rows beforehand, to save time; the answer is the same
 *   without them
 */
export function evaluate(query: Query, arrays: ReleaseArrays, joins?: Joins): Answer {
  return evaluatePlanned(planOf(query, arrays, joins), arrays)
}

/** A query with its plan. Valid only for the arrays that it was planned with, and as long as these. */
export interface QueryPlan extends RowPlan {
  readonly query: Query
  readonly facets: readonly Facet[]
  readonly joins: Joins | undefined
}

/** Plans a query: resolves its filter to codes and chooses the order of the conditions. */
export function planOf(query: Query, arrays: ReleaseArrays, joins?: Joins): QueryPlan {
  const facets = uniqueFacets(query.facets)
  // Conditions on these fields are ignored for their own facet. Undefined: the whole filter applies.
  const fields = facets.map(({ field, isFiltered }) => (isFiltered ? undefined : field.path))
  return { ...planRows(query, fields, arrays, joins), query, facets, joins }
}

/** Executes a plan: selects the rows, counts the facets and picks the page. */
export function evaluatePlanned(plan: QueryPlan, arrays: ReleaseArrays): Answer {
  const { query, facets, joins } = plan
  const selected = selectPlanned(plan)
  const rows = pageOf(query, selected.rows, arrays)
  const total = selected.rows.count
  if (facets.length === 0) return { total, rows }
  const members = facets.map(({ name, field, counts }, i) => {
    // `selected.facets` has an element for each facet. Only the type makes the alternative necessary.
    const counted = selected.facets[i] ?? selected.rows
    const texts = counts.map((count) => kindOf(count).text(field, count, counted, arrays, joins))
    return `${JSON.stringify(name)}:{${texts.join(',')}}`
  })
  const aggregations = new TextEncoder().encode(`{${members.join(',')}}`)
  return { total, rows, aggregations }
}

interface EvaluateInput {
  readonly query: Query
  readonly loaded: LoadedArrays
  readonly joins?: Joins | undefined
}

export const evaluateJob: Job<EvaluateInput, Answer> = {
  name: 'query.evaluate',
  run: ({ query, loaded, joins }) => evaluate(query, arraysOf(loaded), joins),
  transfer: ({ rows, aggregations }) =>
    [rows, aggregations].flatMap((list) => (list ? [list.buffer as ArrayBuffer] : [])),
}
