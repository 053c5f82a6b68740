import { type Diagnosis, diagnosisOf, isValid } from './diagnosis.ts'
import { differentGroupsReason, IDENTICAL_REASON, invalidReason, noGroupReason } from './reasons.ts'
import type { AppliedRule, MphOutcome, MphResult } from './result.ts'
import type { Rules } from './rules.ts'
import type { TumourPair } from './tumour.ts'

/** Decides whether a pair from `parsePair` is one primary or two (multiple-primaries.md 2-4). Never throws. */
export function comparePair(rules: Rules, { input1, input2 }: TumourPair): MphResult {
  const yearNow = rules.yearNow()
  const one = diagnosisOf(input1, yearNow)
  if (!isValid(one)) return withoutRules('INVALID_INPUT', invalidReason(input1, 1, yearNow))
  const other = diagnosisOf(input2, yearNow)
  if (!isValid(other)) return withoutRules('INVALID_INPUT', invalidReason(input2, 2, yearNow))

  // The rules of the later year apply to both tumors.
  const year = Math.max(one.year, other.year)
  const module = rules.moduleOf(one, year)
  const second = rules.moduleOf(other, year)
  if (!module && !second && areIdentical(one, other)) {
    return withoutRules('SINGLE_PRIMARY', IDENTICAL_REASON)
  }
  if (!module) return withoutRules('QUESTIONABLE', noGroupReason(input1, 1, yearNow))
  if (!second) return withoutRules('QUESTIONABLE', noGroupReason(input2, 2, yearNow))
  if (module !== second) {
    return withoutRules('MULTIPLE_PRIMARIES', differentGroupsReason(module.name, second.name))
  }
  return module.decide(one, other)
}

const NO_RULES: readonly AppliedRule[] = Object.freeze([])

function withoutRules(result: MphOutcome, reason: string): MphResult {
  return Object.freeze({ result, reason, applied_rules: NO_RULES })
}

/** The digits that a laterality may have. */
const LATERALITIES: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 9])

/** Returns whether all members of the tumors are known and equal. */
function areIdentical(one: Diagnosis, other: Diagnosis): boolean {
  const isKnown = one.day !== 0 && LATERALITIES.has(one.laterality)
  const members = ['site', 'histology', 'behavior', 'laterality', 'year', 'month', 'day'] as const
  return isKnown && members.every((member) => one[member] === other[member])
}
