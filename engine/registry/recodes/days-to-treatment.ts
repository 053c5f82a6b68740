import { dayNumber, daysInMonth } from '../multiple-primaries/day-number.ts'
import type { Texts } from './recode.ts'

const DATE = /^(\d{4})(\d{2})(\d{2})$/
const MAX_DAYS = 998
const UNKNOWN = '999'

/**
 * Returns the days between two dates as three digits, or 999 if a date is unknown. A treatment before the diagnosis
 * counts as 000, and more than 998 days as 998.
 */
export function daysToTreatment({ date_of_diagnosis, date_of_treatment }: Texts): Texts {
  const [from, to] = [date_of_diagnosis, date_of_treatment].map(readDate)
  if (from === undefined || to === undefined) return { days: UNKNOWN }
  const days = Math.min(Math.max(to - from, 0), MAX_DAYS)
  return { days: String(days).padStart(UNKNOWN.length, '0') }
}

/** Returns the day number, or undefined for an invalid date. */
function readDate(text = ''): number | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  return isDate ? dayNumber(year, month, day) : undefined
}
