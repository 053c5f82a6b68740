import type { Cohort } from '../address/address.ts'
import type { Asked } from './asked.ts'
import type { LeftOut } from './group.ts'

/** Groups before their cases are counted. */
export interface Made {
  readonly groups: readonly Cohort[]
  readonly leftOut?: readonly LeftOut[]
  /** Method by which the groups were made, in a sentence. */
  readonly method?: string
}

/** Cases of which groups are made. */
export interface Source {
  readonly asked: Asked
  readonly cohorts: readonly Cohort[]
  /** The cohort that is split. */
  readonly active: Cohort
}

/** Thrown if no groups can be made. The message says what to choose instead. */
export class NoGroupsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NoGroupsError'
  }
}
