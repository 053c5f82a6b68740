import { daysInMonth } from '../multiple-primaries/day-number.ts'

/** A date whose day, month or year may be unknown. */
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
 * Reads `2023`, `202304` or `20230401`. 9999, 99, and invalid months or days count as unknown. A day counts only
 * with a known month, and a month only with a known year.
 */
export function readPartialDate(text = ''): PartialDate {
  const [, year, month, day] = (WRITTEN.exec(text) ?? []).map(Number)
  if (year === undefined || year === UNKNOWN_YEAR) return UNKNOWN
  if (!isWithin(month, 12)) return { year }
  return isWithin(day, daysInMonth(year, month)) ? { year, month, day } : { year, month }
}

const isWithin = (part: number | undefined, last: number): part is number =>
  part !== undefined && part >= 1 && part <= last

/** Formats a date in the form in which it is read. Empty if nothing is known. */
export function writeDate({ year, month, day }: PartialDate): string {
  const parts = [two(month), two(day)]
  return year === undefined ? '' : String(year).padStart(4, '0') + parts.join('')
}

const two = (part?: number) => (part === undefined ? '' : String(part).padStart(2, '0'))

/** Formats the UTC day of a time as `20230401`. */
export const dayText = (time: Date): string => time.toISOString().slice(0, 10).replaceAll('-', '')
