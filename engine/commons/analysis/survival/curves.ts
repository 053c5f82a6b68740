import { EngineError } from '../../../shared/errors.ts'
import { resolveCaseCentric } from '../../datasets/case-gene.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { parseFilterOn, parseFiltersOn } from '../../query/filter.ts'
import type { Filter } from '../../query/filter-tree.ts'

export interface CurveFilters {
  /** A filter for each curve, or an array of them; absent: one curve over all cases. */
  readonly filters?: unknown
  /** A filter on cases that holds for every curve besides. */
  readonly caseFilters?: unknown
}

/** Of one answer, which has all donors of each. */
const MAX_CURVES = 256

/**
 * The condition of each curve; `undefined` is none.
 * @throws EngineError bad_input naming the place: `filters[2].content[0].op`; too_many
 */
export function parseCurves({
  filters,
  caseFilters,
}: CurveFilters): readonly (Filter | undefined)[] {
  // Many curves may name the same few fields.
  const known = new Map<string, FieldPath | undefined>()
  const resolve = (name: string) => {
    const field = known.get(name) ?? resolveCaseCentric(name)
    known.set(name, field)
    return field
  }
  const isList = Array.isArray(filters) && filters.length > 0
  if (isList && filters.length > MAX_CURVES) {
    const message = `${filters.length} curves are asked for; ask for at most ${MAX_CURVES} at a time`
    throw new EngineError('too_many', message, { at: 'filters' })
  }
  const curves = isList
    ? parseFiltersOn('cases', resolve, filters)
    : [parseFilterOn('cases', resolve, Array.isArray(filters) ? undefined : filters)]
  const cohort = parseFilterOn('cases', resolve, caseFilters, 'case_filters')
  if (!cohort) return curves
  return curves.map((filter) => (filter ? { kind: 'and', parts: [filter, cohort] } : cohort))
}
