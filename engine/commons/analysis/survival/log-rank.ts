import { chiSquareUpperTail } from '../statistics/chi-square.ts'
import type { DonorTimes } from './donor-table.ts'

type Times = Pick<DonorTimes, 'times' | 'deaths'>

/** Hazard over all groups at each time of death: deaths divided by donors at risk. */
interface PooledHazards {
  /** For each such time, the index of its first donor in the table of donors. */
  readonly starts: Uint32Array
  readonly hazards: Float64Array
}

/** @param weights number of groups that each donor of the table belongs to */
export function poolHazards(weights: Uint32Array, { times, deaths }: Times): PooledHazards {
  const starts: number[] = []
  const hazards: number[] = []
  let atRisk = weights.reduce((sum, weight) => sum + weight, 0)
  for (let start = 0; start < times.length; ) {
    let end = start
    let died = 0
    let left = 0
    for (; end < times.length && times[end] === times[start]; end++) {
      const weight = weights[end]!
      left += weight
      if (deaths[end] === 1) died += weight
    }
    if (died > 0) {
      starts.push(start)
      hazards.push(died / atRisk)
    }
    atRisk -= left
    start = end
  }
  return { starts: Uint32Array.from(starts), hazards: Float64Array.from(hazards) }
}

export interface GroupDeaths {
  readonly observed: number
  /** Deaths expected if all groups had the same hazard. */
  readonly expected: number
}

/**
 * Returns the observed deaths of a group and its expected deaths. The expected deaths are the sum, over all
 * times of death, of the pooled hazard times the number of the group's members at risk (data-commons.md 6.8).
 * @param members indices in the table of donors, ascending
 */
export function groupDeaths(
  members: Uint32Array,
  { starts, hazards }: PooledHazards,
  deaths: Uint8Array,
): GroupDeaths {
  let observed = 0
  for (let i = 0; i < members.length; i++) observed += deaths[members[i]!] as number
  let before = 0
  let expected = 0
  // Compensated summation: rounding errors are summed separately, as the statistic is a difference.
  let lost = 0
  for (let i = 0; i < starts.length && before < members.length; i++) {
    const start = starts[i]!
    while (before < members.length && members[before]! < start) before++
    const term = hazards[i]! * (members.length - before)
    const sum = expected + term
    lost += expected >= term ? expected - sum + term : term - sum + expected
    expected = sum
  }
  return { observed, expected: expected + lost }
}

/** Result of the log-rank test, with the field names of the public interface. */
export interface OverallStatistics {
  readonly degreesFreedom: number
  readonly chiSquared: number
  readonly pValue: number
}

/**
 * Log-rank test in the form of the public service, the sum of (O - E)^2 / E, which is lower than the form
 * with the hypergeometric variance (data-commons.md 6.8). A group without expected deaths adds nothing.
 * @param groups at least two, all with donors
 */
export function logRank(groups: readonly GroupDeaths[]): OverallStatistics {
  const chiSquared = groups.reduce(
    (sum, { observed, expected }) =>
      expected === 0 ? sum : sum + (observed - expected) ** 2 / expected,
    0,
  )
  const degreesFreedom = groups.length - 1
  return { degreesFreedom, chiSquared, pValue: chiSquareUpperTail(chiSquared, degreesFreedom) }
}
