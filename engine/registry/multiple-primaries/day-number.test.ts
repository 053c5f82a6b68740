import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayNumber, daysInMonth } from './day-number.ts'

const DAY = 86_400_000

/** Returns midnight of a day, also for years before 100, which `Date.UTC` takes as 1900 to 1999. */
function midnight(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime()
}

const year = fc.oneof(fc.nat(9999), fc.constantFrom(0, 1, 99, 100, 1900, 2000, 2023, 2024))
const month = fc.integer({ min: 1, max: 12 })

test('the difference of two day numbers is the days between', () => {
  const someDay = fc.tuple(year, month, fc.integer({ min: 1, max: 28 }))
  fc.assert(
    fc.property(someDay, someDay, (one, other) => {
      const days = (midnight(...one) - midnight(...other)) / DAY
      expect(dayNumber(...one) - dayNumber(...other)).toBe(days)
    }),
    { seed: 41, numRuns: 1000 },
  )
})

test('a month has the days that the calendar has', () => {
  fc.assert(
    fc.property(year, month, (y, m) => {
      const days = (midnight(y, m + 1, 1) - midnight(y, m, 1)) / DAY
      expect(daysInMonth(y, m)).toBe(days)
      expect(dayNumber(y, m, days) + 1).toBe(
        m === 12 ? dayNumber(y + 1, 1, 1) : dayNumber(y, m + 1, 1),
      )
    }),
    { seed: 42, numRuns: 500 },
  )
})
