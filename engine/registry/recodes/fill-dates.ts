import { dayNumber, daysInMonth } from '../multiple-primaries/day-number.ts'
import type { PartialDate, WholeDate } from './partial-date.ts'

/**
 * Fills in the unknown parts of dates that are in order, and keeps their order. A date becomes the middle of its
 * possible days between the known dates around it. The first date is not before birth. Unknown days of known
 * months are filled in first. A date without a year does not limit the others.
 */
export function fillDates(dates: readonly PartialDate[], birth: PartialDate): readonly WholeDate[] {
  const withDays = [...dates]
  for (const [i, date] of dates.entries()) withDays[i] = withDay(date, i, withDays, birth)
  const filled = [...withDays]
  for (const [i, date] of withDays.entries()) filled[i] = withMonth(date, i, filled, birth)
  return filled.map(({ year = 0, month = 1, day = 1 }) => ({ year, month, day }))
}

function withDay(
  date: PartialDate,
  i: number,
  dates: readonly PartialDate[],
  birth: PartialDate,
): PartialDate {
  const { year, month, day } = date
  if (year === undefined || month === undefined || day !== undefined) return date
  const isSameMonth = (other?: PartialDate) => other?.year === year && other.month === month
  const before = dates.slice(0, i).findLast((one) => one.day !== undefined)
  const after = dates.slice(i + 1).find((one) => one.day !== undefined)
  const ofBirth = i === 0 && isSameMonth(birth) ? birth.day : undefined
  const first = (isSameMonth(before) ? before?.day : undefined) ?? ofBirth ?? 1
  const last = (isSameMonth(after) ? after?.day : undefined) ?? daysInMonth(year, month)
  return { year, month, day: Math.floor((first + last) / 2) }
}

function withMonth(
  date: PartialDate,
  i: number,
  dates: readonly PartialDate[],
  birth: PartialDate,
): PartialDate {
  const { year, month } = date
  if (year === undefined || month !== undefined) return date
  const ofYear = (other?: PartialDate) =>
    other?.year === year && other.month !== undefined
      ? dayNumber(year, other.month, other.day ?? 1)
      : undefined
  const before = dates.slice(0, i).findLast((one) => one.month !== undefined)
  const after = dates.slice(i + 1).find((one) => one.month !== undefined)
  const ofBirth = i === 0 ? ofYear(birth) : undefined
  const first = ofYear(before) ?? ofBirth ?? dayNumber(year, 1, 1)
  const last = ofYear(after) ?? dayNumber(year, 12, 31)
  return dateIn(year, first + Math.floor((last - first) / 2))
}

/** Returns the date of a day number within a year. */
function dateIn(year: number, number: number): WholeDate {
  let month = 1
  while (month < 12 && dayNumber(year, month + 1, 1) <= number) month++
  return { year, month, day: number - dayNumber(year, month, 1) + 1 }
}
