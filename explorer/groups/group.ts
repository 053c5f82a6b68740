import type { Filter } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'

/** Cases with a name. Without a filter they are all cases. */
export interface Group {
  /** Name, unique among the groups. */
  readonly name: string
  readonly filter: Filter | undefined
  readonly cases: number
  /** Number of its cases that are in other groups, too. */
  readonly shared: number
}

/** Cases that are in no group. */
export interface LeftOut {
  readonly name: string
  readonly cases: number
}

/** Groups of cases, and what they leave out. */
export interface Grouping {
  readonly groups: readonly Group[]
  /** Values and cohorts that would be groups, but are not drawn. */
  readonly leftOut: readonly LeftOut[]
  /** Number of cases that were split. For cohorts, those that are in some of them. */
  readonly total: number
  /** Number of cases that are in some group. */
  readonly inGroups: number
  /** Number of cases that are in several groups. Without them, if `isParted`. */
  readonly shared: number
  /** Whether the cases of several groups were taken out of all of them. */
  readonly isParted: boolean
  /** Method by which the groups were made, in a sentence. Empty if their names say it. */
  readonly method: string
  /** Requests that made the groups. */
  readonly requests: readonly ServiceRequest[]
}

/** Whether a test of the groups may take them as apart. */
export const areApart = ({ shared, isParted }: Grouping): boolean => shared === 0 || isParted
