import type { Diagnosis } from './diagnosis.ts'

/** What a client has to find out before a rule can be decided. */
export type Missing = 'laterality' | 'date' | 'laterality and date' | 'site' | 'order'

/** A pair that a rule is about and cannot decide: somebody has to look at it. */
export interface Unclear {
  /** One sentence for the registrar. */
  readonly because: (one: Diagnosis, other: Diagnosis) => string
}

/**
 * Whether the condition of a rule holds: yes, no, yes if what is missing turns out so, or a
 * person must judge.
 */
export type Answer = boolean | Missing | Unclear

/** What a rule asks of two tumours, in the order in which they were given. */
export type Condition = (one: Diagnosis, other: Diagnosis) => Answer

/** A condition that can always be decided. */
export type Relation = (one: Diagnosis, other: Diagnosis) => boolean

/** A property of one tumour. */
export type Is = (tumour: Diagnosis) => boolean

/** An answer for pairs that a person must judge, always for the same reason. */
export function unclear(sentence: string): Unclear {
  return Object.freeze({ because: () => sentence })
}

/** One more thing that is missing. */
export function alsoMissing(one: Missing, other: Missing): Missing {
  return one === other ? one : 'laterality and date'
}

/**
 * All of them hold, asked in turn: one that does not decides, also after one that lacks something;
 * one that a person must judge ends the question.
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
