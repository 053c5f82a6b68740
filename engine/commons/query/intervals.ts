import type { Column } from '../release/loaded.ts'
import { badInput } from './input.ts'
import { afterPrefix } from './pattern.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Length of the intervals of a number field, or calendar unit for dates (data-commons.md 11.40). */
export type Interval = number | DateUnit

export const DATE_UNITS = ['year', 'month', 'day'] as const
type DateUnit = (typeof DATE_UNITS)[number]

/** Maximum number of intervals with values per histogram. */
export const MAX_INTERVALS = 1000

/** Intervals of the values of a column. */
export interface Intervals {
  /** Start of each interval as text, ascending. */
  readonly keys: readonly string[]
  /** For each code, the index of its value's interval plus one. 0 means no interval. */
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

/** Adds an interval that contains exactly the codes from `from` (inclusive) to `to` (exclusive). */
type Add = (key: string, from: number, to: number) => void

function cutNumbers({ numbers = new Float64Array(0) }: Column, length: number, add: Add): void {
  for (let i = 0; i < numbers.length; ) {
    const step = stepOf(numbers[i]!, length)
    const from = i
    while (i < numbers.length && stepOf(numbers[i]!, length) === step) i++
    add(String(Number((step * length).toPrecision(DIGITS))), from + 1, i + 1)
  }
}

/** Significant digits to keep in a quotient of decimals, because as doubles 0.3 is not exactly 3 times 0.1. */
const DIGITS = 15

/** Returns the index of a number's interval. A quotient within rounding error of an integer is rounded to it. */
function stepOf(number: number, length: number): number {
  const steps = number / length
  const whole = Math.round(steps)
  const isWhole = Math.abs(steps - whole) <= Math.abs(whole) * 10 ** -DIGITS
  return isWhole ? whole : Math.floor(steps)
}

const LENGTHS: Readonly<Record<DateUnit, number>> = { year: 4, month: 7, day: 10 }

/** Cuts sorted texts into intervals by calendar unit. Texts that do not start with a date get no interval. */
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
