import type { Condition } from './answer.ts'
import type { Diagnosis } from './diagnosis.ts'

/** The decision of a rule. */
export type Outcome = 'SINGLE_PRIMARY' | 'MULTIPLE_PRIMARIES'

export const SINGLE: Outcome = 'SINGLE_PRIMARY'
export const MULTIPLE: Outcome = 'MULTIPLE_PRIMARIES'

/** A rule of a module. */
export interface Rule {
  /** The step in the manuals. */
  readonly step: string
  /** The question about the two tumors, for people. */
  readonly asks: string
  /** The outcome if the rule applies. */
  readonly means: Outcome | ((one: Diagnosis, other: Diagnosis) => Outcome)
  readonly when: Condition
  /** The reason, as a sentence for the registrar. */
  readonly because: string
  /** The outcome if the rule does not apply. Only the last rule of a module may have it. */
  readonly otherwise?: Otherwise
  readonly notes?: readonly string[]
  readonly examples?: readonly string[]
}

interface Otherwise {
  readonly means: Outcome
  readonly because: string
}

/** A rule that several modules share under different steps. */
export type StockRule = Omit<Rule, 'step'>
