const DAYS_BEFORE = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Returns the number of days in a month from 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns the number of days since a fixed day before year 0, so that differences are days between dates. */
export function dayNumber(year: number, month: number, day: number): number {
  const before = year + 399
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const leapDayOfYear = month > 2 && isLeap(year) ? 1 : 0
  return before * 365 + leapDays + (DAYS_BEFORE[month] ?? 0) + leapDayOfYear + day
}
