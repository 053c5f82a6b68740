import type { Step } from '../datasets/field-path.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { leafFields, leavesOf } from './keys.ts'
import type { Facet } from './query.ts'
import { joinFilters } from './shape.ts'

/**
 * Combines a filter on records with a filter on their cases. The case filter selects cases as a search of
 * `/cases` does, and each record must belong to a selected case. The two filters never share a nested element,
 * and a single case must satisfy the whole case filter (data-commons.md 2.1, 11.35).
 * @param caseAt path of the case in the records
 * @param facets facets of the query; each counts records of the selected cases only, even a facet on a field
 *   of the case filter
 */
export function withCohort(
  filter: Filter | undefined,
  cohort: Filter | undefined,
  caseAt: string,
  facets: readonly Facet[] = [],
): Filter | undefined {
  if (!cohort) return filter
  const chosen = new Set(leafFields(cohort).map(({ path }) => path))
  const isFixed = facets.some(({ field, isFiltered }) => !isFiltered && chosen.has(field.path))
  const leaves = leavesOf(cohort)
  const within = Math.min(...leaves.map((leaf) => stepsToCase(leaf, caseAt)))
  const taken = new Set(filter && leavesOf(filter).map(elementOf))
  // If both filters have conditions on the same elements, they are planned together, which is faster.
  const isShared = leaves.some((leaf) => {
    const element = elementOf(leaf)
    return element !== undefined && taken.has(element)
  })
  const isOneCase = within === 0 || isConjunction(cohort)
  const choice = { kind: 'or', parts: [cohort] } as const
  if (!isShared && isOneCase) return joinFilters(filter, isFixed ? { ...choice, isFixed } : cohort)
  return joinFilters(filter, { ...choice, within, ...(isFixed && { isFixed }) })
}

/** Returns the number of steps up to the last nested element on the path to the case. 0 if a record has one case. */
const stepsToCase = ({ field: { steps } }: Leaf, caseAt: string): number =>
  steps.findLastIndex(
    (step) => isNested(step) && (step.path === caseAt || caseAt.startsWith(`${step.path}.`)),
  ) + 1

/** Returns the path of the first nested element of a condition. Other conditions may refer to the same element. */
const elementOf = ({ field: { steps } }: Leaf): string | undefined => steps.find(isNested)?.path

const isNested = (step: Step): boolean => step.kind !== 'link' && step.nested

/** Returns whether all conditions refer to the same element without having to be bound to it. */
function isConjunction(filter: Filter): boolean {
  if (filter.kind === 'leaf') return filter.op !== 'excludeifany'
  return filter.kind === 'and' && filter.parts.every(isConjunction)
}
