import { dayNumber, daysInMonth } from '../multiple-primaries/day-number.ts'
import type { ItemValues } from '../naaccr-xml/stage-tumor.ts'
import { type PartialDate, readPartialDate } from '../recodes/partial-date.ts'
import { isInRange } from './code-range.ts'
import type { Code, Condition, Operator, Term } from './condition.ts'

/** Undefined means unknown: an item that decides is empty, or a part of a date is unknown. */
type Truth = boolean | undefined

/** Least and greatest possible value of a term, or undefined if nothing is known. */
type Interval = readonly [least: number, most: number] | undefined

/** A condition that is ready to be evaluated. */
export type ReadyCondition = (items: ItemValues) => Truth

/**
 * Prepares a condition for evaluation in three-valued logic: `and` is false if a part is false, and `or` is true
 * if a part is true, even if other parts are unknown.
 * @param today date such as `20240229`
 */
export function makeCondition(condition: Condition, today: string): ReadyCondition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return makeJoined(
        condition.kind === 'or',
        condition.parts.map((part) => makeCondition(part, today)),
      )
    case 'not': {
      const part = makeCondition(condition.part, today)
      return (items) => {
        const truth = part(items)
        return truth === undefined ? undefined : !truth
      }
    }
    case 'empty':
      return (items) => items[condition.item] === undefined
    case 'given':
      return (items) => items[condition.item] !== undefined
    case 'in':
      return makeIn(condition)
    case 'codes': {
      const [left, right] = condition.sides.map(makeCode) as [CodeOf, CodeOf]
      return (items) => {
        const [one, other] = [left(items), right(items)]
        if (one === undefined || other === undefined) return undefined
        return (one === other) === condition.isEqual
      }
    }
    case 'compare': {
      const [left, right] = condition.sides.map((term) => makeTerm(term, today)) as [TermOf, TermOf]
      return (items) => compare(condition.operator, left(items), right(items))
    }
  }
}

/** @param deciding value of a part that decides alone: false for `and`, true for `or` */
function makeJoined(deciding: boolean, parts: readonly ReadyCondition[]): ReadyCondition {
  return (items) => {
    let isKnown = true
    for (const part of parts) {
      const truth = part(items)
      if (truth === deciding) return deciding
      if (truth === undefined) isKnown = false
    }
    return isKnown ? !deciding : undefined
  }
}

function makeIn({ item, ranges }: Condition & { readonly kind: 'in' }): ReadyCondition {
  return (items) => {
    const value = items[item]
    if (value === undefined) return undefined
    return ranges.some((range) => isInRange(value, range))
  }
}

type CodeOf = (items: ItemValues) => string | undefined

const makeCode = (code: Code): CodeOf =>
  code.kind === 'text' ? () => code.text : (items) => items[code.item]

type TermOf = (items: ItemValues) => Interval

const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/

function makeTerm(term: Term, today: string): TermOf {
  switch (term.kind) {
    case 'number': {
      const value: Interval = [term.value, term.value]
      return () => value
    }
    case 'today': {
      const day = daysOf(readPartialDate(today))
      return () => day
    }
    case 'number of':
      return (items) => {
        const text = items[term.item] ?? ''
        return NUMBER.test(text) ? [Number(text), Number(text)] : undefined
      }
    case 'year of':
      return (items) => {
        const { year } = readPartialDate(items[term.item]?.slice(0, 4))
        return year === undefined ? undefined : [year, year]
      }
    case 'date of':
      return (items) => daysOf(readPartialDate(items[term.item]))
    case 'age':
      return (items) => ageAt(readPartialDate(items[term.birth]), readPartialDate(items[term.at]))
  }
}

/** Days that a date may be. */
function daysOf(date: PartialDate): Interval {
  const [first, last] = [firstOf(date), lastOf(date)]
  return first && last && [dayNumber(...first), dayNumber(...last)]
}

type Day = readonly [year: number, month: number, day: number]

const firstOf = ({ year, month = 1, day = 1 }: PartialDate): Day | undefined =>
  year === undefined ? undefined : [year, month, day]

const lastOf = ({ year, month = 12, day }: PartialDate): Day | undefined =>
  year === undefined ? undefined : [year, month, day ?? daysInMonth(year, month)]

/** Returns the possible ages in whole years, several if dates are incomplete, negative if the birth is later. */
function ageAt(birth: PartialDate, at: PartialDate): Interval {
  const [early, late] = [firstOf(birth), lastOf(birth)]
  const [first, last] = [firstOf(at), lastOf(at)]
  return early && late && first && last && [yearsBetween(late, first), yearsBetween(early, last)]
}

function yearsBetween([year, month, day]: Day, [toYear, toMonth, toDay]: Day): number {
  const isBeforeBirthday = toMonth < month || (toMonth === month && toDay < day)
  return toYear - year - (isBeforeBirthday ? 1 : 0)
}

function compare(operator: Operator, left: Interval, right: Interval): Truth {
  if (!left || !right) return undefined
  switch (operator) {
    case '<':
      return isBelow(left, right)
    case '>':
      return isBelow(right, left)
    case '<=':
      return negated(isBelow(right, left))
    case '>=':
      return negated(isBelow(left, right))
    case '=':
      return isEqual(left, right)
    case '!=':
      return negated(isEqual(left, right))
  }
}

type Known = readonly [least: number, most: number]

function isBelow([least, most]: Known, [otherLeast, otherMost]: Known): Truth {
  if (most < otherLeast) return true
  return least >= otherMost ? false : undefined
}

function isEqual([least, most]: Known, [otherLeast, otherMost]: Known): Truth {
  if (most < otherLeast || otherMost < least) return false
  return least === most && otherLeast === otherMost ? true : undefined
}

const negated = (truth: Truth): Truth => (truth === undefined ? undefined : !truth)
