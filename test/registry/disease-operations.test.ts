import { describe, expect, test } from 'vitest'
import { describeArea } from './support/area-tests.ts'
import { type AreaLife, lastOf, lifeOf, tableOf, testRevisions } from './support/publishing-life.ts'

// Every operation of disease with every status that it declares.

const DISEASE = '/rest/disease/{version}'
const REPORTABILITY = 'POST /rest/disease/reportability'
const SITE = 'GET /rest/disease/primary_site'
const SAME = `GET ${DISEASE}/same_primary`

const RECORD = {
  name: 'Made leukemia',
  type: 'HEMATO',
  icdO3_morphology: '9840/3',
  treatment: [
    { value: 'old', end: 2009 },
    { value: 'new', start: 2010 },
  ],
} as const

const LIFE: AreaLife = {
  area: 'disease',
  editor: 'DISEASE_EDITOR',
  record: RECORD,
  changed: { ...RECORD, definition: [{ value: 'Kadabrosis' }] },
  bad: { ...RECORD, valid: { start: 'soon' } },
  filters: 'type=HEMATO&site_category=skin,eye',
  badFilter: 'type=FLU',
  queryOf: (operation) =>
    operation.endsWith('/same_primary') ? same('9840/3', '9861/3') : undefined,
}

function same(d1: string, d2: string, year1 = '2010', year2 = year1): string {
  return `d1=${d1}&d2=${d2}&year1=${year1}&year2=${year2}`
}

const area = await describeArea(tableOf(LIFE))

area.testSteps('the life of a disease', [
  ...lifeOf(LIFE),
  [`GET ${DISEASE}/id/{id}/{year}`, 200, { year: '2009' }],
  [`GET ${DISEASE}/id/{id}/{year}`, 200, { version: 'latest', year: '2009' }],
  [`GET ${DISEASE}/id/{id}/{year}`, 404, { id: 'nowhere', year: '2009' }],
  ...['09', '0999', '20100', 'soon', '-2010'].map(
    (year) => [`GET ${DISEASE}/id/{id}/{year}`, 400, { year }] as const,
  ),
  [SAME, 200, { query: same('9840/3', '9861/3') }],
  ...[
    ...['', 'd1=9840/3&d2=9861/3&year1=2010', same('9840', '9861/3'), same('9840/3', 'x')],
    ...[same('9840/3', '9861/3', 'soon'), same('9840/3', '9861/3', '2010', '10')],
  ].map((query) => [SAME, 400, { query }] as const),
  [REPORTABILITY, 200, {}, {}],
  [REPORTABILITY, 400, {}, { type: 'FLU' }],
  [SITE, 200],
  [`${SITE}/{code}`, 200, { code: 'C021' }],
  [`${SITE}/{code}`, 404, { code: 'c021' }],
  ['GET /rest/disease/site_categories', 200],
])

test('a year of diagnosis leaves what holds in it', async () => {
  const inYear = (year: string) => area.take([`GET ${DISEASE}/id/{id}/{year}`, 200, { year }])
  expect(await inYear('2009')).toMatchObject({ id: 'made', treatment: [{ value: 'old' }] })
  expect(await inYear('2010')).toMatchObject({ id: 'made', treatment: [{ value: 'new' }] })
})

test('a parameter that is missing is named', async () => {
  expect(await area.take([SAME, 400, { query: 'd1=9840/3' }])).toBe(
    "Required parameter 'd2' is not present.",
  )
})

describe('the same primary', () => {
  const lists = [
    { id: 'a', morphology: '9001/3', listed: [{ value: '9002/3', start: 2010, end: 2014 }] },
    { id: 'b', morphology: '9002/3', listed: [{ value: 'Made disease 9001/3' }] },
  ] as const

  test('is what the lists of the version say of the year', async () => {
    for (const { id, morphology, listed } of lists) {
      const body = { ...RECORD, id, icdO3_morphology: morphology, same_primary: listed }
      await area.take([`POST ${DISEASE}/create`, 201, {}, body])
    }
    const isSame = async (query: string, version = 'development') =>
      (await area.take([SAME, 200, { version, query }])) as { is_same: boolean }
    expect(await isSame(same('9001/3', '9002/3'))).toEqual({
      disease1: '9001/3',
      year1: 2010,
      disease2: '9002/3',
      year2: 2010,
      is_same: true,
    })
    expect(await isSame(same('9001/3', '9002/3', '2015'))).toMatchObject({ is_same: false })
    expect(await isSame(same('9001/3', '9001/3', '2015'))).toMatchObject({ is_same: true })
    // These diseases are not published.
    expect(await isSame(same('9001/3', '9002/3'), 'latest')).toMatchObject({ is_same: false })
  })
})

describe('the same primary of diseases without lists', () => {
  const isSame = async (query: string) =>
    (await area.take([SAME, 200, { query }])) as { is_same: boolean }

  // Both ways from 2010 on in shared/data/mph/Hematopoietic2010SamePrimaryPairs.csv:
  // grep -E '^981[23]/3.*,981[23]/3' prints 9812/3,2010,,2010,,9813/3 and 9813/3,2010,,2010,,9812/3
  test('is what the hematopoietic data say', async () => {
    expect(await isSame(same('9812/3', '9813/3', '2010'))).toMatchObject({ is_same: true })
    expect(await isSame(same('9812/3', '9813/3', '2009'))).toMatchObject({ is_same: false })
    expect(await isSame(same('9870/3', '9872/3', '2010'))).toMatchObject({ is_same: false })
  })

  test('is theirs as soon as one of them has a list', async () => {
    const body = { ...RECORD, icdO3_morphology: '9812/3', same_primary: [{ value: '9814/3' }] }
    await area.take([`POST ${DISEASE}/create`, 201, {}, body])
    expect(await isSame(same('9812/3', '9813/3', '2010'))).toMatchObject({ is_same: false })
    expect(await isSame(same('9812/3', '9814/3', '2010'))).toMatchObject({ is_same: true })
  })
})

describe('reportability', () => {
  test('is answered of a posted disease, of which nothing is kept', async () => {
    const { name: _name, ...body } = RECORD
    const posted = { ...body, icdO3_effective: { start: 2001 }, odd: true }
    expect(await area.take([REPORTABILITY, 200, {}, posted])).toEqual({
      ...body,
      icdO3_effective: { start: 2001 },
      reportable: [{ start: 2001 }],
    })
  })
})

describe('edits', () => testRevisions(area, LIFE))

area.testRefusals()
area.testRoles()
area.testSteps('the end of it', lastOf(LIFE))
area.testSeen({ unsaid: /Kadabrosis|nowhere|BAD KEY|\/made\b/, said: DISEASE })
