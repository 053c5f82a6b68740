import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import type { App } from '../../../server/http/compose.ts'
import { openEngine } from '../../places.ts'
import { membersOf } from '../contract/support/archives.ts'
import { appOf } from '../search/support/app.ts'
import { post, type Table, tablesOf } from './support/tables.ts'

// Three cases written by hand, and the rows that they must have (data-commons.md 11.42).

const id = (digit: string) => digit.repeat(8).concat('-0000-4000-8000-', digit.repeat(12))
const [ANN, BOB, EVE] = [id('a'), id('b'), id('c')]

const CASES = [
  {
    case_id: ANN,
    submitter_id: 'ANN',
    project: { project_id: 'MADE-UP' },
    primary_site: 'Kidney',
    demographic: { demographic_id: id('1'), vital_status: 'Alive', age_is_obfuscated: false },
    diagnoses: [
      {
        diagnosis_id: id('2'),
        submitter_id: 'ANN_d1',
        primary_diagnosis: 'Carcinoma,\tNOS\r\nsecond line',
        days_to_last_follow_up: 30,
        sites_of_involvement: ['Lung, NOS', 'Näse'],
        treatments: [
          { treatment_id: id('3'), treatment_type: 'Surgery' },
          { treatment_id: id('4') },
        ],
        pathology_details: [{ pathology_detail_id: id('5'), lymph_nodes_positive: 0 }],
      },
      { diagnosis_id: id('6'), submitter_id: 'ANN_d2', sites_of_involvement: [] },
    ],
    exposures: [{ exposure_id: id('7'), pack_years_smoked: 12.5 }],
    follow_ups: [
      {
        follow_up_id: id('8'),
        molecular_tests: [{ molecular_test_id: id('9') }, { molecular_test_id: id('d') }],
        other_clinical_attributes: [{ other_clinical_attribute_id: id('e') }],
      },
      { follow_up_id: id('f') },
    ],
    samples: [
      {
        sample_id: id('0'),
        submitter_id: 'ANN-01A',
        sample_type: 'Primary Tumor',
        portions: [
          {
            portion_id: '10000000-0000-4000-8000-000000000001',
            submitter_id: 'ANN-01A-11',
            analytes: [
              {
                analyte_id: '10000000-0000-4000-8000-000000000002',
                submitter_id: 'ANN-01A-11D',
                aliquots: [
                  {
                    aliquot_id: '10000000-0000-4000-8000-000000000003',
                    submitter_id: 'ANN-01A-11D-A',
                  },
                  {
                    aliquot_id: '10000000-0000-4000-8000-000000000004',
                    submitter_id: 'ANN-01A-11D-B',
                  },
                ],
              },
            ],
            slides: [
              {
                slide_id: '10000000-0000-4000-8000-000000000005',
                submitter_id: 'ANN-01A-TS1',
                percent_tumor_cells: 80,
              },
            ],
          },
        ],
      },
    ],
  },
  { case_id: BOB, submitter_id: 'BOB', project: { project_id: 'MADE-UP' }, primary_site: 'Lung' },
  { case_id: EVE, submitter_id: 'EVE', project: { project_id: 'ELSE-WHERE' } },
]

let folder = ''
let engine: Engine
let app: App

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-case-tables-'))
  const source = join(folder, 'cases.json')
  await writeFile(source, JSON.stringify(CASES))
  const executor = inlineExecutor
  const dataFolder = join(folder, 'data')
  await importCommons({ sources: [source], dataFolder, executor })
  engine = await openEngine({ dataFolder, executor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const get = async (path: string, headers: Record<string, string> = {}) =>
  app.request(`http://localhost${path}`, { headers })

/** Cells of some columns, row by row. */
const cells = (table: Table | undefined, ...columns: readonly string[]) =>
  table?.rows.map((row) => columns.map((name) => row[name]))

describe('clinical tables', () => {
  let tables: ReadonlyMap<string, Table>
  beforeAll(async () => {
    tables = await tablesOf(await get('/clinical_tar'))
  })

  test('are five, with headers where there is no row', () => {
    expect([...tables.keys()]).toEqual([
      ...['clinical.tsv', 'exposure.tsv', 'family_history.tsv', 'follow_up.tsv'],
      'pathology_detail.tsv',
    ])
    const family = tables.get('family_history.tsv')
    expect(family?.rows).toEqual([])
    expect(family?.columns.slice(0, 3)).toEqual([
      ...['project.project_id', 'cases.case_id', 'cases.submitter_id'],
    ])
  })

  test('a row per treatment, diagnosis or case', () => {
    const names = ['cases.submitter_id', 'diagnoses.submitter_id', 'treatments.treatment_id']
    expect(cells(tables.get('clinical.tsv'), ...names)).toEqual([
      ['ANN', 'ANN_d1', id('3')],
      ['ANN', 'ANN_d1', id('4')],
      ['ANN', 'ANN_d2', "'--"],
      ['BOB', "'--", "'--"],
      ['EVE', "'--", "'--"],
    ])
  })

  test('values as the public service writes them', () => {
    const [ann, , second] = tables.get('clinical.tsv')?.rows ?? []
    expect(ann).toMatchObject({
      'project.project_id': 'MADE-UP',
      'cases.primary_site': 'Kidney',
      'demographic.age_is_obfuscated': 'false',
      'diagnoses.primary_diagnosis': 'Carcinoma, NOS  second line',
      'diagnoses.days_to_last_follow_up': '30.0',
      'diagnoses.sites_of_involvement': 'Lung, NOS|Näse',
      'treatments.treatment_type': 'Surgery',
    })
    expect(second?.['diagnoses.sites_of_involvement']).toBe("'--")
  })

  test('a row per test, follow-up and attribute', () => {
    const names = [
      ...['follow_ups.follow_up_id', 'molecular_tests.molecular_test_id'],
      'other_clinical_attributes.other_clinical_attribute_id',
    ]
    expect(cells(tables.get('follow_up.tsv'), ...names)).toEqual([
      [id('8'), id('9'), "'--"],
      [id('8'), id('d'), "'--"],
      [id('8'), "'--", id('e')],
      [id('f'), "'--", "'--"],
    ])
  })

  test('a row per exposure and pathology detail', () => {
    expect(
      cells(tables.get('exposure.tsv'), 'cases.case_id', 'exposures.pack_years_smoked'),
    ).toEqual([[ANN, '12.5']])
    expect(
      cells(
        tables.get('pathology_detail.tsv'),
        ...['diagnoses.diagnosis_id', 'pathology_details.lymph_nodes_positive'],
      ),
    ).toEqual([[id('2'), '0']])
  })
})

test('biospecimen tables name what each part was taken from', async () => {
  const tables = await tablesOf(await get('/biospecimen_tar?format=TSV'))
  expect([...tables.keys()]).toEqual([
    ...['aliquot.tsv', 'analyte.tsv', 'portion.tsv', 'sample.tsv', 'slide.tsv'],
  ])
  const above = ['cases.submitter_id', 'samples.submitter_id', 'portions.submitter_id']
  const names = [...above, 'analytes.submitter_id', 'aliquots.submitter_id']
  expect(cells(tables.get('aliquot.tsv'), ...names)).toEqual([
    ['ANN', 'ANN-01A', 'ANN-01A-11', 'ANN-01A-11D', 'ANN-01A-11D-A'],
    ['ANN', 'ANN-01A', 'ANN-01A-11', 'ANN-01A-11D', 'ANN-01A-11D-B'],
  ])
  expect(cells(tables.get('slide.tsv'), ...above, 'slides.percent_tumor_cells')).toEqual([
    ['ANN', 'ANN-01A', 'ANN-01A-11', '80.0'],
  ])
  expect(cells(tables.get('sample.tsv'), 'samples.sample_type')).toEqual([['Primary Tumor']])
  expect(tables.get('portion.tsv')?.rows).toHaveLength(1)
  expect(tables.get('analyte.tsv')?.rows).toHaveLength(1)
})

const is = (field: string, value: string) => JSON.stringify({ op: '=', content: { field, value } })

test.each([
  [{}, ['ANN', 'BOB', 'EVE']],
  [{ size: '2' }, ['ANN', 'BOB']],
  [{ size: '0' }, []],
  [{ filters: is('cases.project.project_id', 'MADE-UP') }, ['ANN', 'BOB']],
  [{ case_filters: is('cases.primary_site', 'Lung') }, ['BOB']],
  [
    {
      filters: is('project.project_id', 'MADE-UP'),
      case_filters: is('primary_site', 'Kidney'),
    },
    ['ANN'],
  ],
  // These members are what the portal adds to the form.
  [{ annotations: 'true', related_files: 'true', filename: 'x.tar.gz' }, ['ANN', 'BOB', 'EVE']],
])('%j shows %j', async (form, found) => {
  const response = await post(app, '/clinical_tar', { ...form, format: 'JSON' })
  expect(response.headers.get('content-type')).toBe('application/json')
  const cases = (await response.json()) as readonly { readonly submitter_id: string }[]
  expect(cases.map(({ submitter_id }) => submitter_id)).toEqual(found)
  const tables = await tablesOf(await post(app, '/clinical_tar', form))
  const names = cells(tables.get('clinical.tsv'), 'cases.submitter_id')?.flat()
  expect([...new Set(names)]).toEqual(found)
})

test('JSON has the groups of the case', async () => {
  const [clinical, , bare] = (await (await get('/clinical_tar?format=json')).json()) as Record<
    string,
    unknown
  >[]
  const { samples, diagnoses, exposures } = CASES[0] ?? {}
  expect(clinical).toMatchObject({ case_id: ANN, project: { project_id: 'MADE-UP' }, exposures })
  expect(clinical).toMatchObject({ diagnoses: [{ ...diagnoses?.[0] }, { submitter_id: 'ANN_d2' }] })
  expect(clinical).not.toHaveProperty('samples')
  expect(bare).toEqual({
    case_id: EVE,
    submitter_id: 'EVE',
    project: { project_id: 'ELSE-WHERE' },
  })
  const text = await (await get('/biospecimen_tar?format=Json&pretty=true&size=1')).text()
  expect(text.startsWith('[\n  {\n    "case_id"')).toBe(true)
  const [biospecimen] = JSON.parse(text)
  expect(biospecimen).toEqual({
    case_id: ANN,
    submitter_id: 'ANN',
    project: { project_id: 'MADE-UP' },
    samples,
  })
})

test('equal requests have equal bytes and a validator', async () => {
  const first = await get('/biospecimen_tar')
  expect(first.headers.get('content-type')).toBe('application/x-gzip')
  expect(first.headers.get('content-disposition')).toMatch(
    /filename=biospecimen\.cases_selection\.\d{4}-\d\d-\d\d\.tar\.gz$/,
  )
  expect(first.headers.get('content-encoding')).toBeNull()
  const bytes = Buffer.from(await first.arrayBuffer())
  expect(Buffer.from(await (await get('/biospecimen_tar')).arrayBuffer())).toEqual(bytes)
  const etag = first.headers.get('etag') ?? ''
  expect((await get('/biospecimen_tar', { 'If-None-Match': etag })).status).toBe(304)
  // The tar has whole blocks, which strict readers require.
  expect(gunzipSync(bytes).length % 512).toBe(0)
  expect(await membersOf(bytes)).toHaveLength(5)
})

test.each([
  ['/clinical_tar?format=xml', 'parameter format is not accepted; use one of tsv, json'],
  ['/clinical_tar?size=-1', 'parameter size is not accepted'],
  ['/clinical_tar?size=100000001', 'the limit of their sum is 100000000'],
  ['/clinical_tar?filters=%7B', 'filters'],
  [`/clinical_tar?filters=${encodeURIComponent(is('colour', 'red'))}`, 'colour'],
  [`/biospecimen_tar?case_filters=${encodeURIComponent(is('colour', 'red'))}`, 'case_filters'],
])('%s is a 400 that says: %s', async (path, text) => {
  const response = await get(path)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(text)
})

test('16 are under way at the same time; beyond, one is told to retry', async () => {
  const request = { size: 10, format: 'tsv', pretty: false } as const
  const begin = () => engine.commons.caseTables.of('clinical', request)
  const begun = await Promise.all(Array.from({ length: 16 }, begin))
  for (const path of ['/clinical_tar', '/biospecimen_tar', '/clinical_tar?format=json']) {
    const refused = await get(path)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.text()).toContain('too many archives of cases are under way')
  }
  // The first answer is never read, the second is read to its end, and the third is aborted midway.
  const [first, second, third, ...rest] = begun
  await first?.[Symbol.asyncDispose]()
  for await (const chunk of second?.body ?? []) expect(chunk.length).toBeGreaterThan(0)
  for await (const _ of third?.body ?? []) break
  const again = await Promise.all([begin(), begin(), begin()])
  await expect(begin()).rejects.toMatchObject({ code: 'busy' })
  for (const answer of [...rest, ...again]) await answer[Symbol.asyncDispose]()
  // Failed requests release their places, and so do completed ones.
  for (let i = 0; i < 20; i++) {
    const failing = engine.commons.caseTables.of('clinical', { ...request, filters: '{' } as never)
    await expect(failing).rejects.toThrow()
  }
  for (let i = 0; i < 20; i++) {
    const answer = await get('/clinical_tar')
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true])
  }
})
