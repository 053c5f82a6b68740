import { daysInMonth } from '../multiple-primaries/day-number.ts'

/** A date of which the day, the month too, or all may be unknown. */
export interface PartialDate {
  readonly year?: number
  readonly month?: number
  readonly day?: number
}

export interface WholeDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

const WRITTEN = /^(\d{4})(?:(\d{2})(\d{2})?)?$/
const UNKNOWN_YEAR = 9999
const UNKNOWN: PartialDate = Object.freeze({})

/**
 * Reads `2023`, `202304` or `20230401`. 9999 and 99 are unknown, and so is a month or a day that the calendar
 * does not have. A day counts in a known month alone, a month in a known year.
 */
export function readPartialDate(text = ''): PartialDate {
  const [, year, month, day] = (WRITTEN.exec(text) ?? []).map(Number)
  if (year === undefined || year === UNKNOWN_YEAR) return UNKNOWN
  if (!isWithin(month, 12)) return { year }
  return isWithin(day, daysInMonth(year, month)) ? { year, month, day } : { year, month }
}

const isWithin = (part: number | undefined, last: number): part is number =>
  part !== undefined && part >= 1 && part <= last

/** As it is read; empty where nothing is known. */
export function writeDate({ year, month, day }: PartialDate): string {
  const parts = [two(month), two(day)]
  return year === undefined ? '' : String(year).padStart(4, '0') + parts.join('')
}

const two = (part?: number) => (part === undefined ? '' : String(part).padStart(2, '0'))
