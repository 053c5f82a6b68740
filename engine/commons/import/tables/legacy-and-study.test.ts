import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const UPPER = (text: string) => text.toUpperCase()
/** Returns ids that sort in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`

const LEGACY = [
  ...[
    'case_id',
    'program',
    'year_of_diagnosis',
    'age_at_diagnosis',
    'vital_status',
    'days_to_death',
  ],
  ...[
    'id',
    'ethnicity',
    'days_to_last_follow_up',
    'prior_diagnosis',
    'investigation',
    'primary_site',
  ],
  ...[
    'pathologic_n',
    'pathologic_stage',
    'icd_o3histology',
    'disease_type',
    'gender',
    'icd10',
    'race',
  ],
]
const legacy = tsv(
  'cases_legacy.tsv',
  LEGACY,
  [
    ...[UPPER(C1), 'T', '2003', '61', 'Dead', '322', 'N-1', 'NOT HISPANIC OR LATINO', 'NA', 'Yes'],
    ...[
      'T-GBM',
      'Brain',
      'Not available',
      'Stage I',
      '9440/3',
      'Glioblastoma',
      'FEMALE',
      'C71.9',
      'WHITE',
    ],
  ],
  [UPPER(C2), ...Array(LEGACY.length - 1).fill('NA')],
)

test('legacy cases: lower-case ids, days instead of years, names of today, nothing for missing', async () => {
  const { documents } = await documentsOf([legacy])
  expect(documents.cases?.[0]).toMatchObject({
    case_id: C1,
    submitter_id: 'N-1',
    disease_type: 'Glioblastoma',
    demographic: {
      gender: 'female',
      race: 'white',
      ethnicity: 'not hispanic or latino',
      vital_status: 'Dead',
      days_to_death: 322,
    },
    diagnoses: [
      {
        // 61 * 365.25 = 22280.25
        age_at_diagnosis: 22280,
        year_of_diagnosis: 2003,
        ajcc_pathologic_stage: 'Stage I',
        morphology: '9440/3',
        icd_10_code: 'C71.9',
        prior_malignancy: 'yes',
      },
    ],
  })
  expect(documents.cases?.[0]?.diagnoses).not.toMatchObject([
    { ajcc_pathologic_n: expect.anything() },
  ])
  expect(documents.cases?.[1]).toEqual({
    case_id: C2,
    state: 'released',
    summary: { file_count: 0, file_size: 0 },
  })
  expect(documents.projects).toMatchObject([
    { project_id: 'T-GBM', name: 'Glioblastoma', program: { name: 'T' }, primary_site: ['Brain'] },
  ])
})

test('what today’s exports say of a legacy case counts, whichever comes first', async () => {
  const clinical = tsv(
    'clinical.tsv',
    [
      'cases.case_id',
      'cases.disease_type',
      'demographic.demographic_id',
      'diagnoses.diagnosis_id',
      'diagnoses.morphology',
    ],
    [C1, 'Gliomas', id('m1'), id('d1'), '9440/9'],
  )
  const [one, other] = await Promise.all([
    documentsOf([legacy, clinical]),
    documentsOf([clinical, legacy]),
  ])
  expect(one.texts).toEqual(other.texts)
  expect(one.documents.cases?.[0]).toMatchObject({
    disease_type: 'Gliomas',
    demographic: { demographic_id: id('m1'), gender: 'female' },
    diagnoses: [{ diagnosis_id: id('d1'), morphology: '9440/9', age_at_diagnosis: 22280 }],
    diagnosis_ids: [id('d1')],
  })
})

test('legacy samples join their cases', async () => {
  const { documents } = await documentsOf([
    legacy,
    tsv(
      'samples_legacy.tsv',
      [
        'sample_id',
        'case',
        'is_ffpe',
        'sample_type_code',
        'sample_type',
        'tissue_source_site_code',
        'initial_weight',
        'id',
      ],
      [UPPER(F1), UPPER(C1), 'NO', '01', 'Primary Tumor', 'CJ', 'NA', 'N-1-01A'],
      [UPPER(F2), UPPER(C1), 'YES', '10', 'Blood Derived Normal', 'CJ', '2.5', 'N-1-10A'],
    ),
  ])
  expect(documents.cases?.[0]).toMatchObject({
    samples: [
      { sample_id: F1, submitter_id: 'N-1-01A', is_ffpe: false, sample_type_id: '01' },
      { sample_id: F2, is_ffpe: true, initial_weight: 2.5 },
    ],
    sample_ids: [F1, F2],
    submitter_sample_ids: ['N-1-01A', 'N-1-10A'],
    tissue_source_site: { code: 'CJ' },
  })
})

// In R, write.csv(read.csv(...)) turns 01 into 1. pandas writes 1.0 if a cell in the column is empty.
test('codes of two digits are the same as numbers', async () => {
  const cells = [UPPER(F1), UPPER(C1), '1', '2.0']
  const header = ['sample_id', 'case', 'sample_type_code', 'tissue_source_site_code']
  const { documents, intake } = await documentsOf([tsv('samples_legacy.tsv', header, cells)])
  expect(documents.cases?.[0]).toMatchObject({
    samples: [{ sample_type_id: '01' }],
    tissue_source_site: { code: '02' },
  })
  const changes = intake.reports[0]?.columns.map(({ changed }) => changed[0]?.name)
  expect(changes?.slice(2)).toEqual(['written with two digits', 'written with two digits'])
})

test('a former tumor is told by yes and no, or by truth values', async () => {
  const said = ['Yes', 'TRUE', 'No', 'FALSE']
  const rows = said.map((text, i) => [C1.replace(/.$/, String(i)), `N-${i}`, 'P', '8140/3', text])
  const header = ['case_id', 'id', 'investigation', 'icd_o3histology', 'prior_diagnosis']
  const { documents } = await documentsOf([tsv('cases_legacy.tsv', header, ...rows)])
  const byName = new Map(
    documents.cases?.map(({ submitter_id, diagnoses }) => [submitter_id, diagnoses]),
  )
  expect(said.map((_, i) => byName.get(`N-${i}`))).toMatchObject([
    [{ prior_malignancy: 'yes' }],
    [{ prior_malignancy: 'yes' }],
    [{ prior_malignancy: 'no' }],
    [{ prior_malignancy: 'no' }],
  ])
})

test('clinical tables of studies find their cases by name', async () => {
  const study = tsv(
    'study.tsv',
    [
      'patientID',
      'years_to_birth',
      'vital_status',
      'days_to_death',
      'pathologic_stage',
      'pathology_T_stage',
      'residual_tumor',
    ],
    ['N-1', '61', '1', '99', 'stage iv', 't2', 'r0'],
    ['N-9', '', '0', '', '', '', ''],
  )
  const { documents, assembled } = await documentsOf([study, legacy])
  expect(assembled.resolvedByName).toBe(1)
  expect(documents.cases).toHaveLength(3)
  expect(documents.cases?.find((each) => each.case_id === C1)).toMatchObject({
    demographic: { vital_status: 'Dead', days_to_death: 322 },
    diagnoses: [
      { ajcc_pathologic_t: 'T2', residual_disease: 'R0', ajcc_pathologic_stage: 'Stage I' },
    ],
  })
  expect(documents.cases?.find((each) => each.submitter_id === 'N-9')).toMatchObject({
    case_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
    demographic: { vital_status: 'Alive' },
  })
})

test('survival tables find their cases by name', async () => {
  const { documents, intake } = await documentsOf(
    [
      legacy,
      tsv(
        'survival.txt',
        ['sample', '_PATIENT', 'OS', 'OS.time', 'DSS'],
        ['N-1-01', 'N-1', '0', '900', '0'],
        ['N-2-01', 'N-2', '1', '400.0', '1'],
        ['N-3-01', 'N-3', '', '', ''],
        ['N-4-01', 'N-4', '2', '1', ''],
      ),
      tsv('survival2.txt', ['sample', 'OS', 'OS.time'], ['TCGA-05-4244-01', '1', '5']),
    ],
    { maxErrors: 1 },
  )
  const caseOf = (name: string) => documents.cases?.find((each) => each.submitter_id === name)
  // If another source of the same rank has a different value, the later source counts.
  expect(caseOf('N-1')).toMatchObject({
    case_id: C1,
    demographic: { vital_status: 'Alive' },
    diagnoses: [{ days_to_last_follow_up: 900, morphology: '9440/3' }],
  })
  expect(caseOf('N-2')).toMatchObject({
    demographic: { vital_status: 'Dead', days_to_death: 400 },
  })
  expect(caseOf('N-3')).toBeUndefined()
  expect(caseOf('TCGA-05-4244')).toMatchObject({ demographic: { days_to_death: 5 } })
  expect(intake.badRows).toMatchObject([{ line: 5, reason: 'OS is "2", not 0 or 1' }])
})
