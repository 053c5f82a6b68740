import type { Step } from '../datasets/field-path.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { leavesOf } from './keys.ts'
import { joinFilters } from './shape.ts'

/**
 * A filter of records and one of their cases. The second chooses a set of cases as a search of `/cases`
 * would, to one of which the records must belong: the two never share a nested element, and one case satisfies
 * all of the second (data-commons.md 2.1, 11.35).
 * @param caseAt path of the case in the records
 * @param isFixed whether facets count none but the records of these cases, whatever they are counts of
 */
export function withCohort(
  filter: Filter | undefined,
  cohort: Filter | undefined,
  caseAt: string,
  isFixed?: boolean,
): Filter | undefined {
  if (!cohort) return filter
  const leaves = leavesOf(cohort)
  const within = Math.min(...leaves.map((leaf) => stepsToCase(leaf, caseAt)))
  const taken = new Set(filter && leavesOf(filter).map(elementOf))
  // Conditions that bind the same elements either way are planned together, which is faster.
  const isShared = leaves.some((leaf) => {
    const element = elementOf(leaf)
    return element !== undefined && taken.has(element)
  })
  const isOneCase = within === 0 || isConjunction(cohort)
  const choice = { kind: 'or', parts: [cohort] } as const
  if (!isShared && isOneCase) return joinFilters(filter, isFixed ? { ...choice, isFixed } : cohort)
  return joinFilters(filter, { ...choice, within, ...(isFixed && { isFixed }) })
}

/** Up to the last nested element on the way to the case; 0 where each record is or has one case. */
const stepsToCase = ({ field: { steps } }: Leaf, caseAt: string): number =>
  steps.findLastIndex(
    (step) => isNested(step) && (step.path === caseAt || caseAt.startsWith(`${step.path}.`)),
  ) + 1

/** The outermost element that a condition shares with others. */
const elementOf = ({ field: { steps } }: Leaf): string | undefined => steps.find(isNested)?.path

const isNested = (step: Step): boolean => step.kind !== 'link' && step.nested

/** Whether all its conditions are bound to one and the same element without being told. */
function isConjunction(filter: Filter): boolean {
  if (filter.kind === 'leaf') return filter.op !== 'excludeifany'
  return filter.kind === 'and' && filter.parts.every(isConjunction)
}
