import { type Answer, alsoMissing, type Condition, type Is, type Relation } from './answer.ts'
import { type Diagnosis, IN_SITU, INVASIVE, LEFT, RIGHT } from './diagnosis.ts'
import { comesAfter, laterOf, moreThanDays, withinDays } from './timing.ts'

// What many rules ask (multiple-primaries.md 2 and 4.2).

export const never: Condition = () => false
export const always: Condition = () => true

export const both =
  (is: Is): Relation =>
  (one, other) =>
    is(one) && is(other)

/** All of these properties. */
export const eachOf =
  (...properties: readonly Is[]): Is =>
  (tumour) =>
    properties.every((holds) => holds(tumour))

/** One of these at least. */
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

/** One tumour is of the one kind and the other tumour of the other kind, in either order. */
export const crossed =
  (isOneKind: Is, isOtherKind: Is): Relation =>
  (one, other) =>
    (isOneKind(one) && isOtherKind(other)) || (isOneKind(other) && isOtherKind(one))

// Site.

export const isSameSite: Relation = (one, other) => one.site === other.site
export const isSameCategory: Relation = (one, other) => one.category === other.category

// Histology and behavior.

export const isSameHistology: Relation = (one, other) => one.histology === other.histology
export const isSameStem: Relation = (one, other) => one.stem === other.stem
export const isSameBehavior: Relation = (one, other) => one.behavior === other.behavior

/** Same histology and behavior, and not one that says only "neoplasm" or "carcinoma". */
export const isSameSpecificHistology: Relation = (one, other) =>
  isSameHistology(one, other) &&
  isSameBehavior(one, other) &&
  one.histology !== 8000 &&
  one.histology !== 8010

export const isInSitu: Is = ({ behavior }) => behavior === IN_SITU
export const isInvasive: Is = ({ behavior }) => behavior === INVASIVE
export const isInSituOrInvasive: Is = (tumour) => isInSitu(tumour) || isInvasive(tumour)

// Laterality.

const isSided: Is = ({ laterality }) => laterality === RIGHT || laterality === LEFT

export const areSidesKnown: Relation = both(isSided)

/** Both sides are known, and one is right and the other left. */
export const areOpposite: Relation = (one, other) =>
  areSidesKnown(one, other) && one.laterality !== other.laterality

export const areOppositeOrUnknown: Condition = (one, other) =>
  areSidesKnown(one, other) ? areOpposite(one, other) : 'laterality'

/** The same one of the two sides; two sides that are not known may be. */
export const areSameSideOrUnknown: Condition = (one, other) =>
  areSidesKnown(one, other) ? !areOpposite(one, other) : 'laterality'

// Behavior and time.

const within60Days = withinDays(60)
const moreThan60Days = moreThanDays(60)

/** Of one tumour in situ and one invasive: which is the invasive one. */
function invasiveOf(one: Diagnosis, other: Diagnosis): 'first' | 'second' | undefined {
  if (isInvasive(one) && isInSitu(other)) return 'first'
  return isInvasive(other) && isInSitu(one) ? 'second' : undefined
}

/** Of one tumour in situ and one invasive: it may be that the invasive one came later. */
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

/** The same where the sides count as well. */
export const isInvasiveSoonAfterInSituOnSide: Condition = (one, other) =>
  !areOpposite(one, other) && andSidesKnown(isInvasiveSoonAfterInSitu(one, other), one, other)

/** On one day nothing came after anything, but for sides that are not known the rule still asks. */
export const isInSituAfterInvasiveOnSide: Condition = (one, other) => {
  const invasive = invasiveOf(one, other)
  if (invasive === undefined || areOpposite(one, other)) return false
  if (laterOf(one, other) === invasive) return false
  if (areSidesKnown(one, other)) return isInSituAfterInvasive(one, other)
  return laterOf(one, other) === 'unknown' ? 'laterality and date' : 'laterality'
}

/** What holds, or may hold, needs both sides to be known. */
export function andSidesKnown(answer: Answer, one: Diagnosis, other: Diagnosis): Answer {
  if (answer === false || typeof answer === 'object' || areSidesKnown(one, other)) return answer
  return answer === true ? 'laterality' : alsoMissing('laterality', answer)
}
