import { expect, test } from 'vitest'
import { dateTimeIn } from './day.ts'

// python3 -c 'from datetime import datetime; datetime.fromisoformat(TEXT)'
test.each([
  ['2019-05-01', '2019-05-01'],
  ['2019-05-01T00:00:00', '2019-05-01T00:00:00'],
  ['2019-05-01 00:00', '2019-05-01T00:00'],
  ['2024-02-29T12:19:20.123456-05:00', '2024-02-29T12:19:20.123456-05:00'],
  ['2024-02-29T12:19:20Z', '2024-02-29T12:19:20Z'],
])('%s is a date', (text, date) => {
  expect(dateTimeIn(text)).toBe(date)
})

test.each([
  ...[
    '05/01/2019',
    '01.05.2019',
    '2019-5-1',
    '20190501',
    '2019-02-30',
    '2019',
    'May 2019',
    '43586',
  ],
  ...['2019-05-01T', '2019-05-01T25', '2019-05-01T25:00', '2019-05-01T12:60', ''],
])('%j is no date', (text) => {
  expect(dateTimeIn(text)).toBeUndefined()
})
