import { chiSquareUpperTail } from '../statistics/chi-square.ts'
import { inverseOf, timesVector } from '../statistics/linear-system.ts'
import type { DonorTimes } from './donor-table.ts'
import { eachDeathTime, type PartedDonors } from './parted-donors.ts'

/** Result of a log-rank test. */
export interface LogRankTest {
  readonly chiSquared: number
  readonly degreesFreedom: number
  readonly pValue: number
}

/**
 * Log-rank test with the hypergeometric variance, the statistic of R's `survdiff`. Groups without expected deaths
 * are left out, and add no degree of freedom. Returns undefined if fewer than two groups remain, or if no two of
 * them are ever at risk together.
 */
export function logRankTest(
  parted: PartedDonors,
  table: Pick<DonorTimes, 'times' | 'deaths'>,
): LogRankTest | undefined {
  const { size } = parted
  const excess = new Float64Array(size)
  const expected = new Float64Array(size)
  const variance = new Float64Array(size * size)
  eachDeathTime(parted, table, ({ atRisk, died, totalAtRisk, totalDied }) => {
    const weight = totalAtRisk > 1 ? (totalDied * (totalAtRisk - totalDied)) / (totalAtRisk - 1) : 0
    for (let i = 0; i < size; i++) {
      const share = atRisk[i]! / totalAtRisk
      expected[i]! += totalDied * share
      excess[i]! += died[i]! - totalDied * share
      if (share === 0 || weight === 0) continue
      variance[i * size + i]! += weight * share
      for (let j = 0; j < size; j++) {
        variance[i * size + j]! -= (weight * share * atRisk[j]!) / totalAtRisk
      }
    }
  })
  // The excess of all groups adds up to 0, so the first group is left out.
  const kept = Array.from({ length: size }, (_, i) => i)
    .filter((i) => expected[i]! > 0)
    .slice(1)
  if (kept.length === 0) return undefined
  const part = Float64Array.from(kept, (i) => excess[i]!)
  const covariance = Float64Array.from(
    kept.flatMap((i) => kept.map((j) => variance[i * size + j]!)),
  )
  const inverse = inverseOf(covariance, kept.length)
  if (!inverse) return undefined
  const product = timesVector(inverse, part)
  const chiSquared = Math.max(
    0,
    part.reduce((sum, value, i) => sum + value * product[i]!, 0),
  )
  const degreesFreedom = kept.length
  return { chiSquared, degreesFreedom, pValue: chiSquareUpperTail(chiSquared, degreesFreedom) }
}
