import { expect, test } from 'vitest'
import { doubtsOf } from './doubts.ts'

// Rule 2 of multiple-primaries.md defines what a date is. A sender who writes 19 may mean 2019.

const doubts = (year?: string, month?: string, day?: string) =>
  doubtsOf(
    {
      ...(year !== undefined && { date_of_diagnosis_year: year }),
      ...(month !== undefined && { date_of_diagnosis_month: month }),
      ...(day !== undefined && { date_of_diagnosis_day: day }),
    },
    'input1',
    2026,
  ).map((sentence) => sentence.split(' ')[0])

test.each([
  [['2019', '06', '30'], []],
  [['2019'], []],
  [['2019', '99', '99'], []],
  [['2019', '', ''], []],
  [['19'], ['input1.date_of_diagnosis_year']],
  [['02019'], ['input1.date_of_diagnosis_year']],
  [['2019', '13'], ['input1.date_of_diagnosis_month']],
  [['2019', 'June', '4'], ['input1.date_of_diagnosis_month']],
  [['2019', '02', '30'], ['input1.date_of_diagnosis_day']],
  // Such a tumour already gives INVALID_INPUT.
  [['2030'], []],
  [['next'], []],
] as const)('%j is told of %j', ([year, month, day]: readonly string[], told) => {
  expect(doubts(year, month, day)).toEqual(told)
})

test('no value is reported', () => {
  const [sentence] = doubtsOf({ date_of_diagnosis_year: '19' }, 'input2', 2026)
  expect(sentence).toBe(
    'input2.date_of_diagnosis_year does not have four digits, and is used as it is',
  )
})
