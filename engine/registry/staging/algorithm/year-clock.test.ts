import { afterEach, expect, test, vi } from 'vitest'
import { yearOfSystem } from './year-clock.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('the year follows the clock over its end and back', () => {
  vi.useFakeTimers()
  const yearNow = yearOfSystem()
  const years = [
    new Date(2026, 11, 31, 23, 59, 59, 999),
    new Date(2027, 0, 1),
    new Date(2026, 5, 1),
    new Date(2031, 5, 1),
  ].map((moment) => {
    vi.setSystemTime(moment)
    return yearNow()
  })
  expect(years).toEqual(['2026', '2027', '2026', '2031'])
})
