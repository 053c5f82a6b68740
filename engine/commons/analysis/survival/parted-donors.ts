import { type Bits, hasBit } from '../../../shared/arrays/bitset.ts'
import type { DonorTimes } from './donor-table.ts'

type Times = Pick<DonorTimes, 'times' | 'deaths'>

/** Donors of several groups, of which each belongs to at most one. */
export interface PartedDonors {
  /** Number of groups. */
  readonly size: number
  /** For each donor of the table, its group counted from 1, or 0 if it is in none. */
  readonly groupOf: Uint16Array
}

/** Returns the group of each donor, or undefined if a donor is in several groups. */
export function partDonors(groups: readonly Bits[], donors: number): PartedDonors | undefined {
  const groupOf = new Uint16Array(donors)
  for (const [place, bits] of groups.entries()) {
    for (let i = 0; i < donors; i++) {
      if (!hasBit(bits, i)) continue
      if (groupOf[i] !== 0) return undefined
      groupOf[i] = place + 1
    }
  }
  return { size: groups.length, groupOf }
}

/** Donors at a time of death, by group. The arrays are reused for the next time. */
interface DeathTime {
  /** Number at risk and number who died, by group. */
  readonly atRisk: Float64Array
  readonly died: Float64Array
  readonly totalAtRisk: number
  readonly totalDied: number
}

/** Visits the times at which donors of the groups died, the latest first. */
export function eachDeathTime(
  { size, groupOf }: PartedDonors,
  { times, deaths }: Times,
  visit: (time: DeathTime) => void,
): void {
  const [atRisk, died] = [new Float64Array(size), new Float64Array(size)]
  let totalAtRisk = 0
  for (let end = times.length; end > 0; ) {
    let start = end
    let totalDied = 0
    died.fill(0)
    for (; start > 0 && times[start - 1] === times[end - 1]; start--) {
      const group = groupOf[start - 1]! - 1
      if (group < 0) continue
      atRisk[group]!++
      totalAtRisk++
      if (deaths[start - 1] !== 1) continue
      died[group]!++
      totalDied++
    }
    if (totalDied > 0) visit({ atRisk, died, totalAtRisk, totalDied })
    end = start
  }
}
