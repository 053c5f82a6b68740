import { expect, test } from 'vitest'
import { DISEASE } from './definition.ts'
import { withReportable } from './reportability.ts'

const reportable = (body: unknown) => withReportable(DISEASE.parsePart(body)).reportable

// Expected by the test of the public client (registry/client-expectations, facts of 9840/3).
const CLIENT = {
  type: 'HEMATO',
  icdO3_morphology: '9840/3',
  icdO2_morphology: ['9840/3'],
  icdO1_morphology: ['9840/3'],
  icdO3_effective: { start: 2001 },
  icdO2_effective: { start: 1992, end: 2000 },
  icdO1_effective: { start: 1978, end: 2001 },
  primary_site: [{ low: 'C421', high: 'C421' }],
}

test('editions that follow each other make one range', () => {
  expect(reportable(CLIENT)).toEqual([{ start: 1978 }])
})

test('the posted members are returned, except a former reportability', () => {
  const { reportable, ...rest } = withReportable(
    DISEASE.parsePart({ ...CLIENT, name: 'a', reportable: [{ start: 1900 }] }),
  )
  expect(reportable).toEqual([{ start: 1978 }])
  expect(rest).toEqual({ name: 'a', ...CLIENT })
})

test.each([
  ['a behaviour that became malignant', { icdO1_morphology: ['9840/1'] }, [{ start: 1992 }]],
  ['years that are not valid any more', { valid: { end: 2009 } }, [{ start: 1978, end: 2009 }]],
  [
    'a gap',
    { icdO3_effective: { start: 2005 } },
    [
      { start: 1978, end: 2001 },
      { start: 2005, end: undefined },
    ],
  ],
  ['a type that is not neoplastic', { type: 'NON_NEOPLASTIC' }, undefined],
])('%s counts', (_what, change, ranges) => {
  expect(reportable({ ...CLIENT, ...change })).toEqual(ranges)
})

const MENINGIOMA = { type: 'SOLID_TUMOR', icdO3_morphology: '9530/0' }

test.each([
  ['C700', 'C709', [{ start: 2004 }]],
  ['C690', 'C700', [{ start: 2004 }]],
  ['C751', 'C751', [{ start: 2004 }]],
  ['C000', 'C809', [{ start: 2004 }]],
  ['C730', 'C750', undefined],
  ['C754', 'C809', undefined],
])('a benign tumour of %s to %s', (low, high, ranges) => {
  expect(reportable({ ...MENINGIOMA, primary_site: [{ low, high }] })).toEqual(ranges)
})

test('a benign tumour without a site, or of blood, is not reportable', () => {
  expect(reportable(MENINGIOMA)).toBeUndefined()
  const site = { primary_site: [{ low: 'C700', high: 'C709' }] }
  expect(reportable({ ...MENINGIOMA, ...site, type: 'HEMATO' })).toBeUndefined()
})

test('in situ is reportable; without years always', () => {
  expect(reportable({ type: 'SOLID_TUMOR', icdO3_morphology: '8500/2' })).toEqual([{}])
  expect(reportable({})).toBeUndefined()
})
