import type { Diagnosis } from './diagnosis.ts'

/** The information that a client must find out before a rule can be decided. */
export type Missing = 'laterality' | 'date' | 'laterality and date' | 'site' | 'order'

/** A pair to which a rule applies but which it cannot decide. A person must review it. */
export interface Unclear {
  /** Explains the reason to the registrar in one sentence. */
  readonly because: (one: Diagnosis, other: Diagnosis) => string
}

/**
 * Tells whether the condition of a rule holds: true, false, the data that must be known to decide, or the
 * reason why a person must decide.
 */
export type Answer = boolean | Missing | Unclear

/** The condition of a rule for two tumors, in the order in which they were given. */
export type Condition = (one: Diagnosis, other: Diagnosis) => Answer

/** A condition that can always be decided. */
export type Relation = (one: Diagnosis, other: Diagnosis) => boolean

/** A property of one tumor. */
export type Is = (tumour: Diagnosis) => boolean

/** Creates an answer for pairs that a person must decide, with a fixed reason. */
export function unclear(sentence: string): Unclear {
  return Object.freeze({ because: () => sentence })
}

/**
 * Returns the missing data of two conditions together. Conditions that are combined lack only the laterality
 * or the date, so two different answers mean both.
 */
export function alsoMissing(one: Missing, other: Missing): Missing {
  return one === other ? one : 'laterality and date'
}

/**
 * Creates a condition that holds if all of these hold. They are evaluated in order. The first one that is
 * false, or that a person must decide, is the answer at once. One that lacks data is not, since a later one
 * may still be false; if none is, the answer is the data that is missing.
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
