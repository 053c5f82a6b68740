import type { Diagnosis } from './diagnosis.ts'

/** The information that a client must find out before a rule can be decided. */
export type Missing = 'laterality' | 'date' | 'laterality and date' | 'site' | 'order'

/** Result for a pair to which a rule applies without deciding it. A person must review the pair. */
export interface Unclear {
  /** Returns one sentence that explains the reason to the registrar. */
  readonly because: (one: Diagnosis, other: Diagnosis) => string
}

/**
 * Result of a rule's condition: true, false, the data that are missing to decide, or the reason why a person
 * must decide.
 */
export type Answer = boolean | Missing | Unclear

/** Condition of a rule on two tumors, in the order in which they were given. */
export type Condition = (one: Diagnosis, other: Diagnosis) => Answer

/** A condition that can always be decided. */
export type Relation = (one: Diagnosis, other: Diagnosis) => boolean

/** A property that one tumor has or not. */
export type Is = (tumour: Diagnosis) => boolean

/** Creates an answer for pairs that a person must decide, with a fixed reason. */
export function unclear(sentence: string): Unclear {
  return Object.freeze({ because: () => sentence })
}

/**
 * Combines the missing data of two conditions. Conditions that are combined lack only the laterality or the
 * date, so two different values mean both.
 */
export function alsoMissing(one: Missing, other: Missing): Missing {
  return one === other ? one : 'laterality and date'
}

/**
 * Creates a condition that holds if all of the given ones do. They are evaluated in order, up to the first that
 * is false or that a person must decide, which is then the result. A condition that lacks data does not end the
 * evaluation, since a later one may be false. If none is, the result is the missing data.
 */
export function allOf(...conditions: readonly Condition[]): Condition {
  return (one, other) => {
    let missing: Missing | undefined
    for (const condition of conditions) {
      const answer = condition(one, other)
      if (answer === false || typeof answer === 'object') return answer
      if (typeof answer === 'string') missing = missing ? alsoMissing(missing, answer) : answer
    }
    return missing ?? true
  }
}
