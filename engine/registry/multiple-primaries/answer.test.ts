import { expect, test } from 'vitest'
import { type Answer, allOf, unclear } from './answer.ts'
import { diagnosisOf } from './diagnosis.ts'

const tumour = diagnosisOf({}, 2026)
const judge = unclear('a person must judge.')

const together = (...answers: readonly Answer[]) =>
  allOf(...answers.map((answer) => () => answer))(tumour, tumour)

test('all of several conditions hold only together', () => {
  expect(together(true, true)).toBe(true)
  expect(together(true, false)).toBe(false)
  expect(together()).toBe(true)
})

test('what is missing is gathered, unless a condition does not hold', () => {
  expect(together('date', true)).toBe('date')
  expect(together('date', 'date')).toBe('date')
  expect(together('date', 'laterality')).toBe('laterality and date')
  expect(together('laterality and date', 'laterality')).toBe('laterality and date')
  expect(together('date', false)).toBe(false)
})

test('what a person must judge ends the question', () => {
  expect(together('date', judge, false)).toBe(judge)
  expect(together(false, judge)).toBe(false)
})
