import { inverseOf, timesVector } from '../statistics/linear-system.ts'
import { NORMAL_975, normalPValue } from '../statistics/normal.ts'
import type { DonorTimes } from './donor-table.ts'
import { eachDeathTime, type PartedDonors } from './parted-donors.ts'

/** Hazard of a group relative to the first group. */
export interface HazardRatio {
  readonly ratio: number
  /** 95 % confidence interval by Wald's method, symmetric on the log scale. */
  readonly lower: number
  readonly upper: number
  /** Wald's test of a ratio of 1. */
  readonly pValue: number
}

type Times = Pick<DonorTimes, 'times' | 'deaths'>

const MAX_STEPS = 50
/** A change of the coefficients that is smaller than this ends the iteration. */
const CONVERGED = 1e-10
/** Coefficients beyond this grow without end, as no finite ratio fits best. */
const MAX_COEFFICIENT = 20

/**
 * Fits Cox's proportional hazards model with the groups as its only covariate and Efron's method for ties, like
 * R's `coxph`. Returns the ratio of each group to the first. It is undefined for the first group, for groups
 * without a death, and for all groups if the first has no death or no finite ratio fits best.
 */
export function hazardRatios(
  parted: PartedDonors,
  table: Times,
): readonly (HazardRatio | undefined)[] {
  const none = Array.from({ length: parted.size }, () => undefined)
  const died = new Float64Array(parted.size)
  eachDeathTime(parted, table, (time) => {
    for (let i = 0; i < died.length; i++) died[i]! += time.died[i]!
  })
  // The best ratio of a group without a death is 0, with which the group does not affect the others.
  const fitted = Array.from({ length: parted.size }, (_, i) => i).filter((i) => died[i]! > 0)
  if (fitted[0] !== 0 || fitted.length < 2) return none
  const places = new Map(fitted.map((group, place) => [group + 1, place + 1]))
  const groupOf = parted.groupOf.map((group) => places.get(group) ?? 0)
  const fit = fitCoefficients({ size: fitted.length, groupOf }, table)
  if (!fit) return none
  const { coefficients, covariance } = fit
  const size = coefficients.length
  return none.map((_, group) => {
    const place = fitted.indexOf(group) - 1
    if (place < 0) return undefined
    const coefficient = coefficients[place]!
    const error = Math.sqrt(covariance[place * size + place]!)
    return {
      ratio: Math.exp(coefficient),
      lower: Math.exp(coefficient - NORMAL_975 * error),
      upper: Math.exp(coefficient + NORMAL_975 * error),
      pValue: normalPValue(coefficient / error),
    }
  })
}

interface Fit {
  /** Logarithm of the hazard ratio of each group except the first. */
  readonly coefficients: Float64Array
  readonly covariance: Float64Array
}

/** Maximises the partial likelihood by Newton's method, with half steps where a full one does not raise it. */
function fitCoefficients(parted: PartedDonors, table: Times): Fit | undefined {
  let coefficients = new Float64Array(parted.size - 1)
  let at = likelihoodAt(coefficients, parted, table)
  for (let step = 0; step < MAX_STEPS; step++) {
    const covariance = inverseOf(at.information, coefficients.length)
    if (!covariance) return undefined
    const change = timesVector(covariance, at.score)
    const largest = change.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    if (largest < CONVERGED) return { coefficients, covariance }
    let next = coefficients.map((value, i) => value + change[i]!)
    let further = likelihoodAt(next, parted, table)
    for (let scale = 0.5; !isAtLeast(further.logLikelihood, at.logLikelihood); scale /= 2) {
      if (scale < CONVERGED) return undefined
      next = coefficients.map((value, i) => value + scale * change[i]!)
      further = likelihoodAt(next, parted, table)
    }
    if (next.some((value) => Math.abs(value) > MAX_COEFFICIENT)) return undefined
    coefficients = next
    at = further
  }
  return undefined
}

/** Returns whether a likelihood is at least another within rounding. */
const isAtLeast = (one: number, other: number) => one >= other - 1e-9 * Math.abs(other)

/** Returns the logarithm of Efron's partial likelihood, its gradient, and its negative second derivatives. */
function likelihoodAt(coefficients: Float64Array, parted: PartedDonors, table: Times) {
  const size = coefficients.length
  const factors = Float64Array.from({ length: size + 1 }, (_, i) =>
    i === 0 ? 1 : Math.exp(coefficients[i - 1]!),
  )
  const score = new Float64Array(size)
  const information = new Float64Array(size * size)
  const shares = new Float64Array(size)
  let logLikelihood = 0
  eachDeathTime(parted, table, ({ atRisk, died, totalDied }) => {
    let [risk, tied] = [0, 0]
    for (let i = 0; i <= size; i++) {
      risk += atRisk[i]! * factors[i]!
      tied += died[i]! * factors[i]!
      if (i === 0) continue
      logLikelihood += died[i]! * coefficients[i - 1]!
      score[i - 1]! += died[i]!
    }
    for (let done = 0; done < totalDied; done++) {
      const part = done / totalDied
      const left = risk - part * tied
      logLikelihood -= Math.log(left)
      for (let i = 0; i < size; i++) {
        const share = ((atRisk[i + 1]! - part * died[i + 1]!) * factors[i + 1]!) / left
        shares[i] = share
        score[i]! -= share
        information[i * size + i]! += share
      }
      for (let i = 0; i < size; i++) {
        if (shares[i] === 0) continue
        for (let j = 0; j < size; j++) information[i * size + j]! -= shares[i]! * shares[j]!
      }
    }
  })
  return { logLikelihood, score, information }
}
