import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONSENT_TERMS, consentCode, consentLabel, purposeCode, unmetConsent } from './consent.ts'

const codes = (texts: string) => texts.split(',').map((text) => consentCode(text) ?? text)
const purposes = (texts: string) =>
  texts === '' ? [] : texts.split(',').map((text) => purposeCode(text) ?? text)

test.each([
  ['GRU', 'DUO:0000042'],
  ['duo:0000042', 'DUO:0000042'],
  ['General research use', 'DUO:0000042'],
  [' hmb ', 'DUO:0000006'],
  ['DS-MONDO:0004992', 'DUO:0000007 MONDO:0004992'],
  ['DS mondo:0004992', 'DUO:0000007 MONDO:0004992'],
  ['DUO:0000007 MONDO:0004992', 'DUO:0000007 MONDO:0004992'],
  ['DUO_0000025: 2027-01-31', 'DUO:0000025 2027-01-31'],
  ['not for profit, non commercial use only', 'DUO:0000018'],
  ['DUO:0000031', undefined],
  ['NRES after 2030', undefined],
  ['GRU: not for cancer', undefined],
  ['DUO:0000006 only in Europe', undefined],
  ['DUO:0009999', undefined],
  ['research', undefined],
  ['', undefined],
])('the consent code %j is %j', (given, code) => {
  expect(consentCode(given)).toBe(code)
})

// Ids, abbreviations and labels are those of github.com/EBISPOT/DUO, duo.csv (release of 2021), without the two
// roots DUO:0000001 and DUO:0000017.
test('the terms are those of the published list', () => {
  expect(CONSENT_TERMS.map(({ id }) => Number(id.slice(4))).toSorted((a, b) => a - b)).toEqual([
    4, 6, 7, 11, 12, 15, 16, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 42, 43, 44, 45, 46,
  ])
})

test('a code is shown with its abbreviation, detail and label', () => {
  expect(consentLabel('DUO:0000007 MONDO:0004992')).toBe(
    'DS MONDO:0004992: disease specific research',
  )
  expect(consentLabel('by agreement')).toBe('by agreement')
})

// Rows of the tables "Research Purpose to Query" and "Data use limitation" in DUO's README.
describe('a purpose finds the data that DUO says', () => {
  test.each([
    // Research of a disease: general research, biomedical research and this disease.
    ['DS-MONDO:1', 'GRU', ''],
    ['DS-MONDO:1', 'HMB', ''],
    ['DS-MONDO:1', 'DS-MONDO:1', ''],
    ['DS-MONDO:1', 'DS-MONDO:2', 'DS-MONDO:2'],
    ['DS-MONDO:1', 'DS-MONDO:2,DS-MONDO:1', ''],
    ['DS-MONDO:1', 'POA', 'POA'],
    // Methods development: whatever does not exclude it.
    ['MDS', 'GRU', ''],
    ['MDS', 'HMB', ''],
    ['MDS', 'GRU,NMDS', 'NMDS'],
    // Population origins or ancestry.
    ['POA', 'GRU', ''],
    ['POA', 'POA', ''],
    ['POA', 'HMB', 'HMB'],
    ['POA', 'GRU,NPOA', 'NPOA'],
    // By a commercial entity: neither NPU nor NCU.
    ['HMB', 'HMB,NPU', 'NPU'],
    ['HMB', 'HMB,NCU', 'NCU'],
    ['HMB,NPU,NCU', 'HMB,NPU,NCU', ''],
    ['HMB,NPUNCU', 'HMB,NPU,NCU', ''],
    ['HMB,NPU', 'HMB,NPUNCU', 'NPUNCU'],
    ['HMB,NPU,NCU', 'HMB,NPUNCU', ''],
    // A wider purpose than the consent.
    ['GRU', 'HMB', 'HMB'],
    ['HMB', 'DS-MONDO:1', 'DS-MONDO:1'],
    // All stated purposes need a permission.
    ['HMB,POA', 'HMB', 'HMB'],
    // Conditions are accepted by name, with their detail.
    ['HMB', 'HMB,IRB', 'IRB'],
    ['HMB,IRB', 'HMB,IRB', ''],
    ['HMB,GS-EU', 'HMB,GS-US', 'GS-US'],
    ['HMB,GS-EU', 'HMB,GS-EU', ''],
    ['HMB', 'HMB,CC', ''],
    ['HMB', 'HMB,CC-ROYAL', 'CC-ROYAL'],
    // A permission with further words is none, also if a former version stored it as a code.
    ['HMB', 'DUO:0000006 ONLY IN EUROPE', 'DUO:0000006 ONLY IN EUROPE'],
    ['', 'DUO:0000004 AFTER 2030', 'DUO:0000004 AFTER 2030'],
    // Nobody has to state a purpose for data without restriction or without codes.
    ['', 'NRES', ''],
    ['', 'GRU', 'GRU'],
    ['IRB', 'HMB,IRB', 'HMB'],
    // An unknown code is never satisfied.
    ['HMB', 'HMB,by agreement', 'by agreement'],
  ])('%s of %s lacks %j', (stated, consent, unmet) => {
    expect(unmetConsent(codes(consent), purposes(stated))).toEqual(unmet === '' ? [] : codes(unmet))
  })

  test('data without codes have no condition', () => {
    expect(unmetConsent([], [])).toEqual([])
  })
})

const anyCode = fc.constantFrom(...CONSENT_TERMS.map(({ id }) => id))

test('a further modifier never permits more, and a further permission never less', () => {
  fc.assert(
    fc.property(fc.array(anyCode), fc.array(anyCode), anyCode, (consent, stated, more) => {
      const before = unmetConsent(consent, stated).length === 0
      const after = unmetConsent([...consent, more], stated).length === 0
      const isPermission = CONSENT_TERMS.findIndex(({ id }) => id === more) < 5
      const hasPermission = consent.some(
        (code) => CONSENT_TERMS.findIndex(({ id }) => id === code) < 5,
      )
      if (isPermission && hasPermission) expect(after || !before).toBe(true)
      else expect(before || !after).toBe(true)
    }),
  )
})
