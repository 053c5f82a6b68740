import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import type { Resolver } from '../datasets/resolver.ts'
import { withCohort } from '../query/cohort.ts'
import { readFilter } from '../query/filter.ts'
import { FilterBudget } from '../query/filter-budget.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { Facet } from '../query/query.ts'

/** Filters of a request. */
export interface RequestedFilters {
  /** Filter as an object or JSON text. Absent, null and empty mean no condition. */
  readonly filters?: unknown
  /** Filter on cases, in the same forms. Records must belong to a case that passes it. */
  readonly caseFilters?: unknown
}

/**
 * Combines the filter on records and the filter on their cases within a common budget (data-commons.md 11.34,
 * 11.35).
 * @throws EngineError bad_input with the place of the error
 */
export async function readRecordFilter(
  records: DatasetName,
  { filters, caseFilters }: RequestedFilters,
  { resolveFilter, resolveCase, nearest, nearestCase }: Resolver,
  { turns, facets }: { readonly turns: LoopTurns | undefined; readonly facets?: readonly Facet[] },
): Promise<Filter | undefined> {
  const budget = new FilterBudget()
  const own = { records, resolve: resolveFilter, nearest, budget, turns }
  const filter = await readFilter(filters, own)
  const context = { records, resolve: resolveCase, nearest: nearestCase, budget, turns }
  const cohort = await readFilter(caseFilters, context, 'case_filters')
  return withCohort(filter, cohort, datasetOf(records).caseAt, facets)
}
