import type { Answer, Condition } from './answer.ts'
import type { Diagnosis } from './diagnosis.ts'

// Compares dates of diagnosis with missing months and days (multiple-primaries.md 4.1). Years are always
// known, because a tumor without one is in no group.

/** Which of two tumors was diagnosed later. */
export type Later = 'first' | 'second' | 'same' | 'unknown'

/** Returns which diagnosis is later, or `unknown` if that depends on a missing month or day. */
export function laterOf(one: Diagnosis, other: Diagnosis): Later {
  if (one.year !== other.year) return one.year > other.year ? 'first' : 'second'
  if (one.month === 0 || other.month === 0) return 'unknown'
  if (one.month !== other.month) return one.month > other.month ? 'first' : 'second'
  if (one.day === 0 || other.day === 0) return 'unknown'
  if (one.day !== other.day) return one.day > other.day ? 'first' : 'second'
  return 'same'
}

/** Returns the minimum number of days between two diagnoses. `mostDays` returns the maximum. */
function fewestDays(earlier: Diagnosis, later: Diagnosis): number {
  return later.firstDay - earlier.lastDay
}

function mostDays(earlier: Diagnosis, later: Diagnosis): number {
  return later.lastDay - earlier.firstDay
}

/** Returns a condition for at most this many days between the diagnoses. */
export function withinDays(days: number): Condition {
  return (one, other) => {
    const later = laterOf(one, other)
    if (later === 'same') return true
    if (later === 'unknown') {
      const furthest = Math.max(Math.abs(fewestDays(other, one)), Math.abs(mostDays(other, one)))
      return furthest <= days ? true : 'date'
    }
    const isFirst = later === 'first'
    const [fewest, most] = isFirst
      ? [fewestDays(other, one), mostDays(other, one)]
      : [fewestDays(one, other), mostDays(one, other)]
    if (fewest > days) return false
    return most <= days ? true : 'date'
  }
}

/** Returns a condition for more than this many days between the diagnoses. */
export function moreThanDays(days: number): Condition {
  const within = withinDays(days)
  return (one, other) => {
    const answer = within(one, other)
    return typeof answer === 'boolean' ? !answer : answer
  }
}

/** Returns a condition for at least this many whole years between the diagnoses. The anniversary counts. */
export function atLeastYears(years: number): Condition {
  return (one, other) => {
    const [earlier, later] = one.year > other.year ? [other, one] : [one, other]
    const between = later.year - earlier.year
    if (between !== years) return between > years
    if (one.month === 0 || other.month === 0) return 'date'
    if (one.month !== other.month) return later.month > earlier.month
    if (one.day === 0 || other.day === 0) return 'date'
    return later.day >= earlier.day
  }
}

/** Returns whether the dates are equal in all parts that are known in both. */
export function isSameAsFarAsKnown(one: Diagnosis, other: Diagnosis): boolean {
  const isSame = (a: number, b: number) => a === b || a === 0 || b === 0
  return one.year === other.year && isSame(one.month, other.month) && isSame(one.day, other.day)
}

/** Returns a condition for a tumor of one kind that was diagnosed after a tumor of the other kind. */
export function comesAfter(
  isOneKind: (tumour: Diagnosis) => boolean,
  isOtherKind: (tumour: Diagnosis) => boolean,
): Condition {
  return (one, other): Answer => {
    const isFirst = isOneKind(one) && isOtherKind(other)
    const isSecond = isOneKind(other) && isOtherKind(one)
    if (!isFirst && !isSecond) return false
    const later = laterOf(one, other)
    if (later === 'unknown') return 'date'
    return (later === 'first' && isFirst) || (later === 'second' && isSecond)
  }
}
