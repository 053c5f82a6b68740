import type { Diagnosis } from './diagnosis.ts'

/** The information that a client must find out before a rule can be decided. */
export type Missing = 'laterality' | 'date' | 'laterality and date' | 'site' | 'order'

/** A pair to which a rule applies but which it cannot decide. A person must review it. */
export interface Unclear {
  /** Explains the reason to the registrar in one sentence. */
  readonly because: (one: Diagnosis, other: Diagnosis) => string
}

/**
 * Whether a rule's condition holds: yes, no, undecided until missing data is known, or to be judged by a
 * person.
 */
export type Answer = boolean | Missing | Unclear

/** The condition of a rule for two tumors, in the order in which they were given. */
export type Condition = (one: Diagnosis, other: Diagnosis) => Answer

/** A condition that can always be decided. */
export type Relation = (one: Diagnosis, other: Diagnosis) => boolean

/** A property of one tumor. */
export type Is = (tumour: Diagnosis) => boolean

/** Creates an answer for pairs that a person must judge, with a fixed reason. */
export function unclear(sentence: string): Unclear {
  return Object.freeze({ because: () => sentence })
}

/** Combines two kinds of missing information. */
export function alsoMissing(one: Missing, other: Missing): Missing {
  return one === other ? one : 'laterality and date'
}

/**
 * Requires all conditions, evaluated in order. A false condition decides even after one that lacks data, and
 * one that a person must judge stops the evaluation.
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
