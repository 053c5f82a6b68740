import { expect, test } from 'vitest'
import { inOrderOfDate } from './order-of-date.ts'

test('what is unknown of a date comes after what is known, and equal dates stay', () => {
  const dates = [
    ...['--', '2027-01-01', '2020-02-30', '2020-02-29', '2020--', '2020-13-01', '2020-02-'],
    ...['2019-12-31', '2020-2-9', '2020-02-09', '20x0-01-01', '0-01-01', '2020--05'],
  ]
  const tumours = dates.map((date) => {
    const [year = '', month = '', day = ''] = date.split('-')
    return {
      date_of_diagnosis_year: year,
      date_of_diagnosis_month: month,
      date_of_diagnosis_day: day,
    }
  })
  expect(inOrderOfDate([...tumours, {}], 2026).map((place) => dates[place])).toEqual([
    ...['0-01-01', '2019-12-31', '2020-2-9', '2020-02-09', '2020-02-29', '2020-02-30', '2020-02-'],
    ...['2020--', '2020-13-01', '2020--05', '--', '2027-01-01', '20x0-01-01', undefined],
  ])
})
