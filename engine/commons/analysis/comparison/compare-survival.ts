import { hasBit, newBits, setBit } from '../../../shared/arrays/bitset.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { Release } from '../../release/release.ts'
import { compareGroupsJob } from '../survival/compare-groups.ts'
import type { DonorTables } from '../survival/donor-tables.ts'
import type { CaseGroups } from './case-groups.ts'
import type { Effect, GroupTest } from './compared-field.ts'

/** Survival compared between groups, with the field names of the response. */
export interface SurvivalField {
  readonly field: 'survival'
  readonly kind: 'survival'
  readonly groups: readonly {
    /** Number of donors, cases with a vital status and a time. */
    readonly cases: number
    readonly deaths: number
    readonly median: number | null
    readonly median_lower_95: number | null
    readonly median_upper_95: number | null
  }[]
  readonly test: GroupTest | null
}

interface SurvivalContext {
  readonly executor: Executor
  readonly donors: DonorTables
}

/** Compares survival between groups by the log-rank test. The effect of two groups is the second's hazard ratio. */
export async function compareSurvival(
  { bits }: Pick<CaseGroups, 'bits'>,
  release: Release,
  { executor, donors }: SurvivalContext,
  signal: AbortSignal,
): Promise<SurvivalField> {
  const [table, loaded] = await Promise.all([donors.of(release), release.load([], { signal })])
  const curves = bits.map((group, i) => {
    const members = newBits(table.rows.length)
    for (let donor = 0; donor < table.rows.length; donor++) {
      if (hasBit(group, table.rows[donor]!)) setBit(members, donor)
    }
    return { key: `comparison ${i}`, filter: undefined, donors: members }
  })
  const input = { table, loaded, curves, isDetailed: true }
  const { logRank, comparison } = await executor.run(compareGroupsJob, input, { signal })
  const groups = comparison?.groups ?? []
  const [, other] = groups
  const effect: Effect | null =
    groups.length === 2 && other?.hazard_ratio != null
      ? {
          name: 'hazard_ratio',
          value: other.hazard_ratio,
          lower_95: other.hazard_ratio_lower_95,
          upper_95: other.hazard_ratio_upper_95,
        }
      : null
  return {
    field: 'survival',
    kind: 'survival',
    groups: groups.map((group) => ({
      cases: group.donors,
      deaths: group.deaths,
      median: group.median_days,
      median_lower_95: group.median_lower_95,
      median_upper_95: group.median_upper_95,
    })),
    test: logRank
      ? {
          method: 'log-rank',
          statistic: logRank.chiSquared,
          degrees_of_freedom: logRank.degreesFreedom,
          p_value: logRank.pValue,
          effect,
        }
      : null,
  }
}
