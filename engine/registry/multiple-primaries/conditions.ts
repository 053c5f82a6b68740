import { type Answer, alsoMissing, type Condition, type Is, type Relation } from './answer.ts'
import { type Diagnosis, IN_SITU, INVASIVE, LEFT, RIGHT } from './diagnosis.ts'
import { comesAfter, laterOf, moreThanDays, withinDays } from './timing.ts'

// Conditions that many rules share (multiple-primaries.md 2 and 4.2).

export const never: Condition = () => false
export const always: Condition = () => true

export const both =
  (is: Is): Relation =>
  (one, other) =>
    is(one) && is(other)

/** Returns a property that a tumor has if it has all of the given properties. */
export const eachOf =
  (...properties: readonly Is[]): Is =>
  (tumour) =>
    properties.every((holds) => holds(tumour))

/** Returns a relation that holds if at least one of the given relations holds. */
export const anyOf =
  (...relations: readonly Relation[]): Relation =>
  (one, other) =>
    relations.some((holds) => holds(one, other))

export const either =
  (is: Is): Relation =>
  (one, other) =>
    is(one) || is(other)

export const not =
  (holds: Relation): Relation =>
  (one, other) =>
    !holds(one, other)

/** Returns a relation that holds if one tumor is of one kind and the other of the other, in either order. */
export const crossed =
  (isOneKind: Is, isOtherKind: Is): Relation =>
  (one, other) =>
    (isOneKind(one) && isOtherKind(other)) || (isOneKind(other) && isOtherKind(one))

// Conditions on the site.

export const isSameSite: Relation = (one, other) => one.site === other.site
export const isSameCategory: Relation = (one, other) => one.category === other.category

// Conditions on histology and behavior.

export const isSameHistology: Relation = (one, other) => one.histology === other.histology
export const isSameStem: Relation = (one, other) => one.stem === other.stem
export const isSameBehavior: Relation = (one, other) => one.behavior === other.behavior

/** Whether histology and behavior are equal. Unspecified neoplasms (8000) and carcinomas (8010) do not count. */
export const isSameSpecificHistology: Relation = (one, other) =>
  isSameHistology(one, other) &&
  isSameBehavior(one, other) &&
  one.histology !== 8000 &&
  one.histology !== 8010

export const isInSitu: Is = ({ behavior }) => behavior === IN_SITU
export const isInvasive: Is = ({ behavior }) => behavior === INVASIVE
export const isInSituOrInvasive: Is = (tumour) => isInSitu(tumour) || isInvasive(tumour)

// Conditions on the laterality.

const isSided: Is = ({ laterality }) => laterality === RIGHT || laterality === LEFT

export const areSidesKnown: Relation = both(isSided)

/** Whether one tumor is on the right and the other on the left side. */
export const areOpposite: Relation = (one, other) =>
  areSidesKnown(one, other) && one.laterality !== other.laterality

export const areOppositeOrUnknown: Condition = (one, other) =>
  areSidesKnown(one, other) ? areOpposite(one, other) : 'laterality'

/** Whether both tumors are on the same side. Undecided if a side is unknown. */
export const areSameSideOrUnknown: Condition = (one, other) =>
  areSidesKnown(one, other) ? !areOpposite(one, other) : 'laterality'

// Conditions on behavior and time.

const within60Days = withinDays(60)
const moreThan60Days = moreThanDays(60)

/** Returns which tumor is invasive, if the other one is in situ. */
function invasiveOf(one: Diagnosis, other: Diagnosis): 'first' | 'second' | undefined {
  if (isInvasive(one) && isInSitu(other)) return 'first'
  return isInvasive(other) && isInSitu(one) ? 'second' : undefined
}

/** For an in situ and an invasive tumor, returns whether the invasive one may have been diagnosed later. */
function mayInvasiveBeLater(one: Diagnosis, other: Diagnosis): boolean {
  const invasive = invasiveOf(one, other)
  if (invasive === undefined) return false
  const later = laterOf(one, other)
  return later === 'same' || later === 'unknown' || later === invasive
}

export const isInvasiveLongAfterInSitu: Condition = (one, other) =>
  mayInvasiveBeLater(one, other) && laterOf(one, other) !== 'same' && moreThan60Days(one, other)

export const isInvasiveSoonAfterInSitu: Condition = (one, other) =>
  mayInvasiveBeLater(one, other) && within60Days(one, other)

export const isInSituAfterInvasive: Condition = comesAfter(isInSitu, isInvasive)

/** Whether an invasive tumor follows an in situ one in 60 days, not on the opposite side. Maybe undecided. */
export const isInvasiveSoonAfterInSituOnSide: Condition = (one, other) =>
  !areOpposite(one, other) && andSidesKnown(isInvasiveSoonAfterInSitu(one, other), one, other)

/**
 * Whether an in situ tumor follows an invasive one, and not on the opposite side. Undecided if a side is
 * unknown. This also applies to tumors of the same day, which otherwise do not follow each other.
 */
export const isInSituAfterInvasiveOnSide: Condition = (one, other) => {
  const invasive = invasiveOf(one, other)
  if (invasive === undefined || areOpposite(one, other)) return false
  if (laterOf(one, other) === invasive) return false
  if (areSidesKnown(one, other)) return isInSituAfterInvasive(one, other)
  return laterOf(one, other) === 'unknown' ? 'laterality and date' : 'laterality'
}

/** Turns a positive or undecided answer into missing data if a side is unknown. */
export function andSidesKnown(answer: Answer, one: Diagnosis, other: Diagnosis): Answer {
  if (answer === false || typeof answer === 'object' || areSidesKnown(one, other)) return answer
  return answer === true ? 'laterality' : alsoMissing('laterality', answer)
}
