import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { resolveCaseCentric } from '../../datasets/case-gene.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { nearestOn } from '../../datasets/near-case-gene.ts'
import { withCohort } from '../../query/cohort.ts'
import { readFilter, readFilters } from '../../query/filter.ts'
import { FilterBudget } from '../../query/filter-budget.ts'
import type { Filter } from '../../query/filter-tree.ts'

export interface CurveFilters {
  /** One filter per curve: an array of filters, or a single filter. Undefined means one curve of all cases. */
  readonly filters?: unknown
  /** Filter on cases, applied to all curves. */
  readonly caseFilters?: unknown
}

/** Maximum number of filters of a request, and the noun for what they select. */
interface ListLimit {
  readonly most: number
  readonly noun: string
}

/** Each curve lists all its donors. */
const CURVES: ListLimit = { most: 256, noun: 'curves' }

/**
 * Reads the filter of each curve, or of each group of cases. Undefined selects all cases.
 * @throws EngineError bad_input with a place such as `filters[2].content[0].op`; too_many
 */
export async function readCurves(
  { filters, caseFilters }: CurveFilters,
  turns?: LoopTurns,
  { most, noun }: ListLimit = CURVES,
): Promise<readonly (Filter | undefined)[]> {
  // Each field name is looked up once, because many curves use the same few fields.
  const known = new Map<string, FieldPath | undefined>()
  const resolve = (name: string) => {
    const field = known.get(name) ?? resolveCaseCentric(name)
    known.set(name, field)
    return field
  }
  const isList = Array.isArray(filters) && filters.length > 0
  if (isList && filters.length > most) {
    const message = `${filters.length} ${noun} are requested; request at most ${most} at a time`
    throw new EngineError('too_many', message, { at: 'filters' })
  }
  const nearest = nearestOn('case', 'case')
  const reading = { records: 'cases', resolve, nearest, budget: new FilterBudget(), turns }
  const curves = isList
    ? await readFilters(filters, reading)
    : [await readFilter(Array.isArray(filters) ? undefined : filters, reading)]
  const cohort = await readFilter(caseFilters, reading, 'case_filters')
  return curves.map((filter) => withCohort(filter, cohort, ''))
}
