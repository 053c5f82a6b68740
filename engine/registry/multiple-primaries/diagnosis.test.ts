import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLANK, diagnosisOf, isValid, NO_PLACE, placeOf } from './diagnosis.ts'
import type { Tumour } from './tumour.ts'

const BREAST: Tumour = {
  primary_site: 'C509',
  histology_icd_o3: '8500',
  behavior_icd_o3: '3',
  date_of_diagnosis_year: '2018',
}

const read = (members: Tumour) => diagnosisOf({ ...BREAST, ...members }, 2026)

describe('a tumor in numbers', () => {
  test('has the digits of its codes', () => {
    expect(
      read({ laterality: '1', date_of_diagnosis_month: '7', date_of_diagnosis_day: '04' }),
    ).toMatchObject({
      site: 509,
      category: 50,
      histology: 8500,
      stem: 850,
      behavior: 3,
      laterality: 1,
      year: 2018,
      month: 7,
      day: 4,
      morphology: placeOf(8500, 3),
    })
  })

  test.each([
    ...['', 'C50', 'C5099', 'c509', 'D509', 'C50X', 'C809', 'C 50', '٣٣٣٣'].map((primary_site) => ({
      primary_site,
    })),
    ...['', '800', '7999', '10000', '85OO', '8500/3', ' 8500', '-8500', '8500.0'].map(
      (histology_icd_o3) => ({ histology_icd_o3 }),
    ),
    ...['', '4', '5', '7', '9', '03', '33', 'x', ' '].map((behavior_icd_o3) => ({
      behavior_icd_o3,
    })),
    ...['', '2027', '20x8', ' 2018', '+2018', '99999999999999999999'].map(
      (date_of_diagnosis_year) => ({ date_of_diagnosis_year }),
    ),
  ])('is not valid with %o', (members) => {
    expect(isValid(read(members))).toBe(false)
  })

  test.each([
    ...['C000', 'C999', 'C808'].map((primary_site) => ({ primary_site })),
    ...['8000', '9999', '008500'].map((histology_icd_o3) => ({ histology_icd_o3 })),
    ...['0', '1', '2', '3', '6'].map((behavior_icd_o3) => ({ behavior_icd_o3 })),
    ...['0', '1899', '2026', '0002018'].map((date_of_diagnosis_year) => ({
      date_of_diagnosis_year,
    })),
  ])('is valid with %o', (members) => {
    expect(isValid(read(members))).toBe(true)
  })

  test('is valid by the forms of its codes and by nothing else', () => {
    const digits = fc.stringMatching(/^[0-9]{0,5}$/)
    const site = fc.oneof(fc.string(), fc.stringMatching(/^C[0-9]{3}$/))
    const histology = fc.oneof(fc.string(), digits, fc.stringMatching(/^0?[89][0-9]{3}$/))
    const behavior = fc.oneof(fc.string(), fc.stringMatching(/^[0-9]$/))
    const year = fc.oneof(fc.string(), digits, fc.stringMatching(/^[12][09][0-9]{2}$/))
    fc.assert(
      fc.property(site, histology, behavior, year, (s, h, b, y) => {
        const isOfForm =
          /^C\d{3}$/.test(s) &&
          s !== 'C809' &&
          /^0*[89]\d{3}$/.test(h) &&
          /^[01236]$/.test(b) &&
          /^\d+$/.test(y) &&
          Number(y) <= 2026
        const tumour = {
          primary_site: s,
          histology_icd_o3: h,
          behavior_icd_o3: b,
          date_of_diagnosis_year: y,
        }
        expect(isValid(diagnosisOf(tumour, 2026))).toBe(isOfForm)
      }),
      { seed: 3, numRuns: 2000 },
    )
  })

  test('of another spelling of its histology is in no table and equals none', () => {
    const zeros = ['08500', '008500'].map((histology_icd_o3) => read({ histology_icd_o3 }))
    expect(zeros.map(({ morphology }) => morphology)).toEqual([NO_PLACE, NO_PLACE])
    expect(new Set([...zeros, read({})].map(({ histology }) => histology)).size).toBe(3)
    expect(zeros.map(({ stem }) => stem)).toEqual([85, 8])
  })
})

describe('codes of the second edition', () => {
  const old = { histology_icd_o2: '8521', behavior_icd_o2: '2' }

  test('count for tumors until 2000', () => {
    expect(read({ ...old, date_of_diagnosis_year: '2000' })).toMatchObject({
      histology: 8521,
      behavior: 2,
    })
    expect(read({ ...old, date_of_diagnosis_year: '2001' })).toMatchObject({
      histology: 8500,
      behavior: 3,
    })
  })

  test('count each by itself, where they are valid', () => {
    const year = { date_of_diagnosis_year: '1999' }
    expect(read({ ...year, histology_icd_o2: '8521', behavior_icd_o2: '9' })).toMatchObject({
      histology: 8521,
      behavior: 3,
    })
    expect(read({ ...year, histology_icd_o2: '852', behavior_icd_o2: '2' })).toMatchObject({
      histology: 8500,
      behavior: 2,
    })
  })

  test('count too where they are the lowest there are', () => {
    const lowest = { histology_icd_o2: '8000', behavior_icd_o2: '0', date_of_diagnosis_year: '0' }
    expect(read(lowest)).toMatchObject({ histology: 8000, behavior: 0 })
  })

  test('do not count where the year is not known', () => {
    expect(read({ ...old, date_of_diagnosis_year: '19xx' })).toMatchObject({ histology: 8500 })
  })
})

describe('the date', () => {
  const partsOf = (year: string, month: string, day: string) => {
    const parts = { date_of_diagnosis_month: month, date_of_diagnosis_day: day }
    const { month: m, day: d } = read({ date_of_diagnosis_year: year, ...parts })
    return [m, d]
  }

  test('has a month from 1 to 12, and a day only with a month', () => {
    expect(partsOf('2018', '00', '12')).toEqual([0, 0])
    expect(partsOf('2018', '13', '12')).toEqual([0, 0])
    expect(partsOf('2018', ' 1', '12')).toEqual([0, 0])
    expect(partsOf('2018', '001', '0012')).toEqual([1, 12])
  })

  test('has a day that its month has in that year', () => {
    expect(partsOf('2016', '02', '29')).toEqual([2, 29])
    expect(partsOf('2018', '02', '29')).toEqual([2, 0])
    expect(partsOf('1900', '02', '29')).toEqual([2, 0])
    expect(partsOf('2018', '04', '31')).toEqual([4, 0])
    expect(partsOf('2018', '12', '31')).toEqual([12, 31])
  })
})

test('a laterality is a digit, blank or no code', () => {
  const lateralities = ['0', '9', '', ' ', '   ', 'x', '12'].map((laterality) =>
    read({ laterality }),
  )
  const found = lateralities.map(({ laterality }) => laterality)
  expect(found).toEqual([0, 9, BLANK, BLANK, BLANK, found[5], found[5]])
  expect(found[5]).toBeLessThan(BLANK)
  expect(read({}).laterality).toBe(BLANK)
})
