import type { Executor } from '../../shared/executor.ts'
import { boundedCost, filterCost } from '../query/cost.ts'
import type { Layouts } from '../query/field-cost.ts'
import type { Answer, Query } from '../query/query.ts'
import type { Release } from '../release/release.ts'
import { type Cart, cartJob, keysOfCart } from './cart.ts'
import type { Request } from './plan.ts'
import { keysOfScored, type ScoredPage, scoredPageJob } from './scored-page.ts'

export interface Finding {
  readonly executor: Executor
  /** Evaluates a search like a REST request, with the same caches. */
  readonly evaluate: (
    release: Release,
    query: Query,
    signal: AbortSignal | undefined,
  ) => Promise<Answer>
}

export type Found = Answer | ScoredPage | Cart

/**
 * Estimates the number of values that a search visits.
 * @throws EngineError bad_input if it is above the limit of a REST request
 */
export function costOfRequest(request: Request, layouts: Layouts): number {
  if (request.kind === 'list') return boundedCost(request.query, layouts)
  if (request.kind === 'cart') {
    const { filter, fields } = request.query
    return (1 + fields.length) * filterCost('files', filter, layouts)
  }
  const { filter, score } = request.query
  const own = filterCost(score.dataset, filter, layouts)
  return score.dataset === 'genes'
    ? own + filterCost('case_genes', score.pairs.pairs, layouts)
    : own + filterCost('ssm_occurrences', score.occurrences, layouts)
}

/**
 * Evaluates one search of a document.
 * @throws EngineError errors of loading; the signal's reason
 */
export async function findRequest(
  request: Request,
  release: Release,
  { executor, evaluate }: Finding,
  signal: AbortSignal | undefined,
): Promise<Found> {
  if (request.kind === 'list') return evaluate(release, request.query, signal)
  if (request.kind === 'scored') {
    const { query } = request
    const loaded = await release.load(keysOfScored(query), { signal })
    return executor.run(scoredPageJob, { query, loaded }, { signal })
  }
  const { query } = request
  const loaded = await release.load(keysOfCart(query), { signal })
  return executor.run(cartJob, { query, loaded }, { signal })
}
