import type { Column } from '../release/loaded.ts'
import { badInput } from './input.ts'
import { afterPrefix } from './pattern.ts'

/** Length of the intervals of a number field, or calendar unit for dates (data-commons.md 11.40). */
export type Interval = number | DateUnit

export const DATE_UNITS = ['year', 'month', 'day'] as const
type DateUnit = (typeof DATE_UNITS)[number]

/** Maximum number of intervals per histogram. Intervals without values do not count. */
export const MAX_INTERVALS = 1000

/** The intervals that the values of a column fall into. */
export interface Intervals {
  /** Printed start of each interval, ascending. */
  readonly keys: readonly string[]
  /** Index plus one of the interval of each value, by code. 0 means no interval. */
  readonly places: Uint16Array
}

/**
 * Maps the values of a column to intervals.
 * @param path name of the field in messages
 * @throws EngineError bad_input for too many intervals
 */
export function intervalsOf(column: Column, interval: Interval, path: string): Intervals {
  const keys: string[] = []
  const places = new Uint16Array(column.layout.distinct + 1)
  const add = (key: string, from: number, to: number) => {
    if (keys.length === MAX_INTERVALS) throw tooMany(column, interval, path)
    places.fill(keys.push(key), from, to)
  }
  if (typeof interval === 'number') cutNumbers(column, interval, add)
  else cutDates(column, interval, add)
  return { keys, places }
}

/** Adds an interval for the codes `from` (inclusive) to `to` (exclusive), which are all that fall into it. */
type Add = (key: string, from: number, to: number) => void

function cutNumbers({ numbers = new Float64Array(0) }: Column, length: number, add: Add): void {
  for (let i = 0; i < numbers.length; ) {
    const step = stepOf(numbers[i]!, length)
    const from = i
    while (i < numbers.length && stepOf(numbers[i]!, length) === step) i++
    add(String(Number((step * length).toPrecision(DIGITS))), from + 1, i + 1)
  }
}

/**
 * Significant digits that survive a multiplication and division of decimals, where 0.3 is not exactly 3 times
 * 0.1.
 */
const DIGITS = 15

/** Returns the index of the interval with a number. Deviations within rounding error count as whole. */
function stepOf(number: number, length: number): number {
  const steps = number / length
  const whole = Math.round(steps)
  const isWhole = Math.abs(steps - whole) <= Math.abs(whole) * 10 ** -DIGITS
  return isWhole ? whole : Math.floor(steps)
}

const LENGTHS: Readonly<Record<DateUnit, number>> = { year: 4, month: 7, day: 10 }

/**
 * Texts ascend, so the dates of a year are adjacent. Texts that do not start with a date have no interval.
 */
function cutDates({ dictionary, layout }: Column, unit: DateUnit, add: Add): void {
  for (let code = 1; code <= layout.distinct; ) {
    const key = dictionary.text(code).slice(0, LENGTHS[unit])
    const after = DATE.test(dictionary.text(code)) ? afterPrefix(key) : undefined
    const next = after === undefined ? code + 1 : dictionary.lowerBound(after)
    if (after !== undefined) add(key, code, next)
    code = next
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}/

function tooMany({ numbers }: Column, interval: Interval, path: string): Error {
  const range = numbers ? numbers.at(-1)! - numbers[0]! : 0
  const advice = numbers
    ? `give an interval of ${roundUp(range / (MAX_INTERVALS - 1))} or more`
    : 'give a longer part of the calendar'
  return badInput(
    `${path} has values in more than ${MAX_INTERVALS} intervals of ${interval}, which is the limit; ${advice}`,
    'histograms',
  )
}

/** Rounds up to two significant digits. */
function roundUp(number: number): number {
  const unit = 10 ** (Math.floor(Math.log10(number)) - 1)
  return Number((Math.ceil(number / unit) * unit).toPrecision(2))
}
