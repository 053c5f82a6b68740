import { expect, test } from 'vitest'
import { DISEASE } from './definition.ts'
import { ofYear } from './of-year.ts'

const disease = DISEASE.parse({
  name: 'Made leukemia',
  type: 'HEMATO',
  valid: { start: 2001, end: 2009 },
  icdO2_morphology: ['9840/3'],
  treatment: [
    { value: 'always' },
    { value: 'until 2009', end: 2009 },
    { value: 'from 2010', start: 2010 },
    { value: '2010 alone', start: 2010, end: 2010 },
  ],
  signs: [{ value: 'old', end: 2000 }],
  reportable: [{ end: 1991 }, { start: 2001 }],
  icd_10cm_code: [
    { value: 'C94.0', start: '2015-10-01' },
    { value: 'C94.9', end: '2015-09-30' },
  ],
})

test.each([
  [2009, ['always', 'until 2009'], ['C94.9']],
  [2010, ['always', 'from 2010', '2010 alone'], ['C94.9']],
  [2011, ['always', 'from 2010'], ['C94.9']],
  [2015, ['always', 'from 2010'], ['C94.0', 'C94.9']],
  [2016, ['always', 'from 2010'], ['C94.0']],
] as const)('in %s what holds then is left of lists', (year, treatments, codes) => {
  const { treatment, icd_10cm_code, reportable, ...rest } = ofYear(disease, year)
  expect(treatment?.map(({ value }) => value)).toEqual(treatments)
  expect(icd_10cm_code?.map(({ value }) => value)).toEqual(codes)
  expect(reportable).toEqual([{ start: 2001 }])
  const { name, type, valid, icdO2_morphology } = disease
  // A list that would be empty is left out.
  expect(rest).toEqual({ name, type, valid, icdO2_morphology })
})

test('the year of an end belongs to the range', () => {
  expect(ofYear(disease, 2000).signs).toEqual([{ value: 'old', end: 2000 }])
  expect(ofYear(disease, 1991).reportable).toEqual([{ end: 1991 }])
  expect(ofYear(disease, 1992).reportable).toBeUndefined()
})
