import { type Bits, countBits, intersect } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import { type Curve, donorsOf, membersIn } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { type HazardRatio, hazardRatios } from './hazard-ratios.ts'
import { kaplanMeier } from './kaplan-meier.ts'
import { type LogRankTest, logRankTest } from './log-rank-test.ts'
import { medianSurvival } from './median-survival.ts'
import { partDonors } from './parted-donors.ts'

/** Survival of one group, with the field names of the response. Numbers that do not exist are null. */
interface GroupSurvival {
  readonly donors: number
  readonly deaths: number
  readonly median_days: number | null
  readonly median_lower_95: number | null
  readonly median_upper_95: number | null
  /** Hazard relative to the first group. */
  readonly hazard_ratio: number | null
  readonly hazard_ratio_lower_95: number | null
  readonly hazard_ratio_upper_95: number | null
  readonly hazard_ratio_p_value: number | null
}

/** Number of donors that two groups share. Groups are counted from 0. */
interface Overlap {
  readonly groups: readonly [number, number]
  readonly donors: number
}

/** Comparison of groups, with the field names of the response. */
export interface GroupComparison {
  readonly groups: readonly GroupSurvival[]
  readonly overlaps: readonly Overlap[]
}

export interface ComparedGroups {
  /** Undefined if a donor is in several groups, or if there is nothing to test. */
  readonly logRank: LogRankTest | undefined
  readonly comparison?: GroupComparison | undefined
}

interface CompareGroupsInput {
  readonly loaded: LoadedArrays
  readonly table: DonorTable
  readonly curves: readonly Curve[]
  /** Whether to describe each group in addition to the test. */
  readonly isDetailed: boolean
}

/** Tests whether groups of donors differ in survival. */
export const compareGroupsJob: Job<CompareGroupsInput, ComparedGroups> = {
  name: 'survival.compare-groups',
  run({ loaded, table, curves, isDetailed }) {
    const arrays = arraysOf(loaded)
    const groups = curves.map((curve) => donorsOf(curve, table, arrays))
    const parted = partDonors(groups, table.times.length)
    const logRank = parted && logRankTest(parted, table)
    if (!isDetailed) return { logRank }
    const ratios = parted ? hazardRatios(parted, table) : []
    const described = groups.map((bits, i) => groupSurvival(bits, ratios[i], table))
    return { logRank, comparison: { groups: described, overlaps: overlapsOf(groups) } }
  },
}

function groupSurvival(
  bits: Bits,
  ratio: HazardRatio | undefined,
  table: DonorTable,
): GroupSurvival {
  const members = membersIn(bits)
  const median = medianSurvival(kaplanMeier(members, table), members, table)
  return {
    donors: members.length,
    deaths: members.reduce((sum, donor) => sum + table.deaths[donor]!, 0),
    median_days: median.days,
    median_lower_95: median.lower,
    median_upper_95: median.upper,
    hazard_ratio: ratio?.ratio ?? null,
    hazard_ratio_lower_95: ratio?.lower ?? null,
    hazard_ratio_upper_95: ratio?.upper ?? null,
    hazard_ratio_p_value: ratio?.pValue ?? null,
  }
}

function overlapsOf(groups: readonly Bits[]): readonly Overlap[] {
  return groups.flatMap((one, i) =>
    groups.slice(i + 1).flatMap((other, k): Overlap | readonly [] => {
      const donors = countBits(intersect(one.slice(), other))
      return donors > 0 ? { groups: [i, i + 1 + k], donors } : []
    }),
  )
}
