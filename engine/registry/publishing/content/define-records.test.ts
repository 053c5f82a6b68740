import { expect, test } from 'vitest'
import { DISEASE } from '../disease/definition.ts'
import { GLOSSARY } from '../glossary/definition.ts'
import { RX } from '../rx/definition.ts'

const DRUG = {
  name: 'Casamitinib',
  type: 'DRUG',
  alternate_name: ['CM-571', 'Casimill'],
  category: ['Chemotherapy'],
  remarks: 'For leukemia.',
  do_not_code: 'NO',
} as const

const WRONG_BODIES: readonly (readonly [
  area: keyof typeof AREAS,
  body: unknown,
  message: string,
])[] = [
  ['rx', null, 'the document is no object; give a JSON object'],
  ['rx', [DRUG], 'the document is no object; give a JSON object'],
  ['rx', {}, '"name" is missing'],
  ['rx', { name: 'a' }, '"type" is missing'],
  ['rx', { ...DRUG, name: ' ' }, '"name" is not accepted; give a name of up to 1,000 characters'],
  ['rx', { ...DRUG, name: 'a\nb' }, '"name" is not accepted; give a name'],
  ['rx', { ...DRUG, name: 'x'.repeat(1001) }, '"name" is not accepted'],
  ['rx', { ...DRUG, type: 'drug' }, '"type" is none of DRUG, REGIMEN'],
  ['rx', { ...DRUG, do_not_code: 'MAYBE' }, '"do_not_code" is none of YES, NO, SEE_REMARKS'],
  ['rx', { ...DRUG, alternate_name: 'a' }, '"alternate_name" is no list; give a JSON array'],
  ['rx', { ...DRUG, alternate_name: [1] }, '"alternate_name[0]" is no text; give a JSON string'],
  ['rx', { ...DRUG, drugs: ['a'] }, '"drugs" is there in a DRUG; give it in a REGIMEN only'],
  ['glossary', { name: 7 }, '"name" is no text'],
  ['glossary', { name: 'a', category: ['BEST'] }, '"category[0]" is none of GENERAL, SOLID_TUMOR'],
  ['glossary', { name: 'a', resource: ['x'] }, '"resource[0]" is no object'],
  ['disease', { name: 'a' }, '"type" is missing'],
  ['disease', { icdO3_morphology: '9840' }, '"icdO3_morphology" is not accepted; give a histology'],
  ['disease', { primary_site: [{ low: 'C421' }] }, '"primary_site[0].high" is missing'],
  ['disease', { primary_site: [{ low: '421', high: 'C421' }] }, 'give a site such as C421'],
  [
    'disease',
    { primary_site: [{ low: 'C422', high: 'C421' }] },
    '"primary_site[0].low" is beyond "high"',
  ],
  ['disease', { valid: { start: '2001' } }, '"valid.start" is no whole number'],
  ['disease', { valid: { start: 99 } }, '"valid.start" is not from 1000 to 9999'],
  ['disease', { valid: { start: 2002, end: 2001 } }, '"valid.start" is beyond "end"'],
  ['disease', { treatment: [{ start: 2001 }] }, '"treatment[0].value" is missing'],
  ['disease', { grade: [{ value: 'x' }] }, '"grade[0].value" is no whole number'],
  ['disease', { icd_10cm_code: [{ value: 'a', start: 'May' }] }, 'begins with its year'],
]

const AREAS = { rx: RX, glossary: GLOSSARY, disease: DISEASE } as const

test.each(WRONG_BODIES)('%s: %j is refused: %s', (area, body, message) => {
  const complete = area === 'disease' && body && Object.keys(body)[0] !== 'name'
  const posted = complete ? { name: 'a', type: 'HEMATO', ...body } : body
  expect(() => AREAS[area].parse(posted)).toThrow(
    expect.objectContaining({ code: 'bad_input', message: expect.stringContaining(message) }),
  )
})

test('content has the members of the definition, in its order, without nulls and empty lists', () => {
  const { remarks, ...rest } = DRUG
  const posted = { id: 'x', score: 1, remarks, odd: true, histology: null, drugs: [], ...rest }
  expect(JSON.stringify(RX.parse(posted))).toBe(
    JSON.stringify({
      name: DRUG.name,
      type: DRUG.type,
      alternate_name: DRUG.alternate_name,
      remarks,
      category: DRUG.category,
      do_not_code: DRUG.do_not_code,
    }),
  )
})

test('parsing a parsed record changes nothing', () => {
  const content = RX.parse(DRUG)
  expect(RX.parse(JSON.parse(JSON.stringify(content)))).toEqual(content)
})

test('each projection has what the smaller one has', () => {
  const content = RX.parse({ ...DRUG, evs_id: 'E1' })
  expect(RX.project(content, 'MIN')).toEqual({ name: DRUG.name, type: 'DRUG' })
  expect(RX.project(content, 'PARTIAL')).toEqual(RX.parse(DRUG))
  expect(RX.project(content, 'FULL')).toEqual(content)
})

test('the index knows texts by weight, filters and orders', () => {
  const { texts, filters, orders } = RX.indexed(RX.parse(DRUG))
  const weights = Object.fromEntries(texts.map(({ text, weight }) => [text, weight]))
  expect(Object.keys(weights)).toEqual([
    DRUG.name,
    'CM-571',
    'Casimill',
    'For leukemia.',
    'Chemotherapy',
  ])
  expect(weights[DRUG.name]).toBeGreaterThan(weights.Casimill ?? 0)
  expect(weights.Casimill).toBeGreaterThan(weights['For leukemia.'] ?? 0)
  expect(filters).toEqual({ type: ['DRUG'], category: ['Chemotherapy'], do_not_code: ['NO'] })
  expect(orders).toEqual({ type: 'DRUG' })
})

test('members that depend on years are found by their value', () => {
  const disease = DISEASE.parse({
    name: 'Made leukemia',
    type: 'HEMATO',
    icdO3_morphology: '9840/3',
    site_category: 'x',
    alternate_name: [{ value: 'Other leukemia', start: 2010 }],
    icd_10cm_code: [{ value: 'C94.0 Made', start: '2015-10-01' }],
  })
  const { texts, orders } = DISEASE.indexed(disease)
  expect(texts.map(({ text }) => text)).toEqual([
    ...['Made leukemia', '9840/3', 'C94.0 Made', 'Other leukemia'],
  ])
  expect(orders).toEqual({ type: 'HEMATO', icdO3_morphology: '9840/3', site_category: 'x' })
})

test('filters with a closed list say it, the others take any value', () => {
  expect(RX.filters).toEqual({
    type: ['DRUG', 'REGIMEN'],
    category: undefined,
    do_not_code: ['YES', 'NO', 'SEE_REMARKS'],
    drugs: undefined,
  })
  expect(DISEASE.filters).toMatchObject({ site_category: undefined })
  expect(DISEASE.orders).toEqual(['type', 'icdO3_morphology', 'site_category'])
  expect(GLOSSARY.filters.category).toContain('LYMPH_NODES')
})

test('terms of the glossary are looked for in sentences, not in names and codes', () => {
  expect(RX.glossaryTexts(RX.parse(DRUG))).toEqual(['For leukemia.'])
})

test('the other name of a member is read under its own', () => {
  const texts = [{ value: 'See the manual.' }]
  const body = { name: 'a', type: 'HEMATO', same_primary_text: texts }
  expect(DISEASE.parse(body)).toEqual({ name: 'a', type: 'HEMATO', same_primaries_text: texts })
  const both = { ...body, same_primaries_text: [{ value: 'x' }] }
  expect(DISEASE.parse(both).same_primaries_text).toEqual([{ value: 'x' }])
})
