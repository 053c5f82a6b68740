import { NORMAL_975 } from '../statistics/normal.ts'
import type { DonorTimes } from './donor-table.ts'

type Times = Pick<DonorTimes, 'times' | 'deaths'>

/**
 * Kaplan-Meier estimate, with one step per distinct time. The donors with time i are the members `ends[i - 1]`
 * to `ends[i] - 1`. At that time, all members from the first of these on are at risk.
 */
export interface SurvivalSteps {
  readonly ends: Uint32Array
  /** Estimated survival just after each time. */
  readonly survival: Float64Array
  /** Greenwood's sum of d / (n (n - d)) up to each time. Infinite when nobody is left at risk. */
  readonly variance: Float64Array
}

/**
 * Returns the Kaplan-Meier estimate: at a time with d deaths among n donors at risk, survival is multiplied
 * by 1 - d / n. Donors censored at that time are still at risk (data-commons.md 6.8).
 * @param members indices in the table of donors, ascending
 */
export function kaplanMeier(members: Uint32Array, { times, deaths }: Times): SurvivalSteps {
  const count = members.length
  const distinct = countTimes(members, times)
  const ends = new Uint32Array(distinct)
  const survivals = new Float64Array(distinct)
  const variances = new Float64Array(distinct)
  let survival = 1
  let variance = 0
  for (let start = 0, step = 0; start < count; step++) {
    const time = times[members[start]!] as number
    let end = start
    let died = 0
    for (; end < count && times[members[end]!] === time; end++) {
      died += deaths[members[end]!] as number
    }
    const atRisk = count - start
    if (died > 0) {
      survival *= 1 - died / atRisk
      variance += died / (atRisk * (atRisk - died))
    }
    ends[step] = end
    survivals[step] = survival
    variances[step] = variance
    start = end
  }
  return { ends, survival: survivals, variance: variances }
}

function countTimes(members: Uint32Array, times: Float64Array): number {
  let count = 0
  let last = Number.NaN
  for (let i = 0; i < members.length; i++) {
    const time = times[members[i]!] as number
    if (time !== last) count++
    last = time
  }
  return count
}

interface Interval {
  readonly lower: number
  readonly upper: number
}

/**
 * Returns the confidence interval of a survival estimate, symmetric on the log scale and limited to 1.
 * Returns undefined if survival is 0, whose logarithm does not exist.
 */
export function logInterval(survival: number, variance: number): Interval | undefined {
  if (survival === 0) return undefined
  const width = NORMAL_975 * Math.sqrt(variance)
  const log = Math.log(survival)
  return { lower: Math.exp(log - width), upper: Math.min(1, Math.exp(log + width)) }
}
