import { expect, test } from 'vitest'
import { readDays } from './days.ts'

const read = (from?: string, to?: string) => readDays({ from, to }, { from: 'from', to: 'to' })

test('both days are included', () => {
  const { fromMilliseconds, toMilliseconds } = read('2024-02-28', '2024-02-29')
  expect(new Date(fromMilliseconds ?? 0).toISOString()).toBe('2024-02-28T00:00:00.000Z')
  expect(new Date(toMilliseconds ?? 0).toISOString()).toBe('2024-03-01T00:00:00.000Z')
})

test('a day that is left out bounds nothing', () => {
  expect(read()).toEqual({ fromMilliseconds: undefined, toMilliseconds: undefined })
})

test('the last day that can be written is later than all that was stored', () => {
  expect(read(undefined, '9999-12-31').toMilliseconds).toBe(Date.UTC(9999, 11, 31, 23, 59, 59, 999))
})

test.each(['2023-02-29', '2024-13-01', '2024-1-1', '20240101', '2024-01-01T00:00', '', 'today'])(
  '"%s" is no day',
  (text) => {
    expect(() => read(text)).toThrow(/"from" is no day; give YYYY-MM-DD/)
    expect(() => read(undefined, text)).toThrow(/"to" is no day/)
  },
)
