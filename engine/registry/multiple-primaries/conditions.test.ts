import { describe, expect, test } from 'vitest'
import {
  isInSituAfterInvasiveOnSide,
  isInvasiveLongAfterInSitu,
  isInvasiveSoonAfterInSitu,
  isInvasiveSoonAfterInSituOnSide,
} from './conditions.ts'
import { type Diagnosis, diagnosisOf } from './diagnosis.ts'
import { tumour } from './support/tumour-text.ts'

// multiple-primaries.md 4.2: pairs of a tumor in situ and an invasive one, with the given and the required data.

const inSitu = (rest: string): Diagnosis => diagnosisOf(tumour(`C509 8500/2 ${rest}`), 2026)
const invasive = (rest: string): Diagnosis => diagnosisOf(tumour(`C509 8500/3 ${rest}`), 2026)

describe('an invasive tumor after one in situ', () => {
  const first = inSitu('L1 2019-01-01')

  test('is soon until the 60th day, and long after it', () => {
    const answers = ['2019-01-01', '2019-03-02', '2019-03-03', '2018-12-31'].map((date) => {
      const later = invasive(`L1 ${date}`)
      return [isInvasiveSoonAfterInSitu(first, later), isInvasiveLongAfterInSitu(later, first)]
    })
    expect(answers).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [false, false],
    ])
  })

  test('may be both where the dates are not known', () => {
    const later = invasive('L1 2019')
    expect(isInvasiveSoonAfterInSitu(first, later)).toBe('date')
    expect(isInvasiveLongAfterInSitu(first, later)).toBe('date')
  })

  test('is not asked for where both are in situ or invasive', () => {
    expect(isInvasiveSoonAfterInSitu(first, first)).toBe(false)
    expect(isInvasiveSoonAfterInSitu(invasive('L1 2019'), invasive('L1 2019'))).toBe(false)
  })

  test.each([
    ['L1 2019-02-01', true],
    ['L2 2019-02-01', false],
    ['L9 2019-02-01', 'laterality'],
    ['L1 2019', 'date'],
    ['L9 2019', 'laterality and date'],
    ['L9 2019-06-01', false],
  ])('on a side that counts, %s, is soon: %s', (rest, answer) => {
    expect(isInvasiveSoonAfterInSituOnSide(first, invasive(rest))).toBe(answer)
    expect(isInvasiveSoonAfterInSituOnSide(invasive(rest), first)).toBe(answer)
  })
})

test.each([
  ['L1 2019-02-02', true],
  ['L1 2019-02-01', false],
  ['L1 2019-01-31', false],
  ['L2 2019-02-02', false],
  ['L1 2019', 'date'],
  ['L9 2019-02-02', 'laterality'],
  ['L9 2019-02-01', 'laterality'],
  ['L9 2019-01-31', false],
  ['L9 2019', 'laterality and date'],
])('a tumor in situ on a side that counts, %s, is after an invasive one: %s', (rest, answer) => {
  const first = invasive('L1 2019-02-01')
  expect(isInSituAfterInvasiveOnSide(first, inSitu(rest))).toBe(answer)
  expect(isInSituAfterInvasiveOnSide(inSitu(rest), first)).toBe(answer)
})
