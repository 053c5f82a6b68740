import type { Condition } from './answer.ts'
import type { Diagnosis } from './diagnosis.ts'

/** What a rule decides. */
export type Outcome = 'SINGLE_PRIMARY' | 'MULTIPLE_PRIMARIES'

export const SINGLE: Outcome = 'SINGLE_PRIMARY'
export const MULTIPLE: Outcome = 'MULTIPLE_PRIMARIES'

/** One rule of a module. */
export interface Rule {
  /** As the manuals number it. */
  readonly step: string
  /** What is asked of the two tumours, for people. */
  readonly asks: string
  /** What they are if it holds. */
  readonly means: Outcome | ((one: Diagnosis, other: Diagnosis) => Outcome)
  readonly when: Condition
  /** Why, for people. */
  readonly because: string
  /** What they are if it does not hold, which the last rule of a module may say. */
  readonly otherwise?: Otherwise
  readonly notes?: readonly string[]
  readonly examples?: readonly string[]
}

export interface Otherwise {
  readonly means: Outcome
  readonly because: string
}

/** A rule that several modules have, each under its own number. */
export type StockRule = Omit<Rule, 'step'>
