import type { DatasetName } from '../datasets/define.ts'
import type { Resolver } from '../datasets/resolver.ts'
import { readFilter } from '../query/filter.ts'
import { FilterBudget } from '../query/filter-budget.ts'
import type { Filter } from '../query/filter-tree.ts'
import { joinFilters } from '../query/shape.ts'

/** Which records are asked for. */
export interface AskedFilters {
  /** An object or JSON text. Absent, null and empty are no condition. */
  readonly filters?: unknown
  /** As `filters`, of the records' cases; asked besides. */
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
): Promise<Filter | undefined> {
  const budget = new FilterBudget()
  const own = { records, resolve: resolveFilter, nearest, budget }
  const filter = await readFilter(filters, own)
  const context = { records, resolve: resolveCase, nearest: nearestCase, budget }
  const cohort = await readFilter(caseFilters, context, 'case_filters')
  return joinFilters(filter, cohort)
}
