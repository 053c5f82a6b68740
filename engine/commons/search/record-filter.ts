import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import type { Resolver } from '../datasets/resolver.ts'
import { withCohort } from '../query/cohort.ts'
import { readFilter } from '../query/filter.ts'
import { FilterBudget } from '../query/filter-budget.ts'
import type { Filter } from '../query/filter-tree.ts'

/** Which records are asked for. */
export interface AskedFilters {
  /** An object or JSON text. Absent, null and empty are no condition. */
  readonly filters?: unknown
  /** As `filters`, of cases: the records belong to one that passes. */
  readonly caseFilters?: unknown
}

/**
 * The filter of records and that of their cases as one, within one budget (data-commons.md 11.34, 11.35).
 * @throws EngineError bad_input naming the place
 */
export async function readRecordFilter(
  records: DatasetName,
  { filters, caseFilters }: AskedFilters,
  { resolveFilter, resolveCase, nearest, nearestCase }: Resolver,
  turns?: LoopTurns,
): Promise<Filter | undefined> {
  const budget = new FilterBudget()
  const own = { records, resolve: resolveFilter, nearest, budget, turns }
  const filter = await readFilter(filters, own)
  const context = { records, resolve: resolveCase, nearest: nearestCase, budget, turns }
  const cohort = await readFilter(caseFilters, context, 'case_filters')
  return withCohort(filter, cohort, datasetOf(records).caseAt)
}
