import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
/** Returns ids that sort in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`

test('clinical exports: rows of one case come together by the ids of their entities', async () => {
  const missing = "'--"
  const clinical = tsv(
    'clinical.tsv',
    [
      ...[
        'project.project_id',
        'cases.case_id',
        'cases.submitter_id',
        'demographic.demographic_id',
      ],
      ...['demographic.days_to_birth', 'demographic.age_is_obfuscated', 'diagnoses.diagnosis_id'],
      ...[
        'diagnoses.days_to_last_follow_up',
        'treatments.treatment_id',
        'treatments.treatment_type',
      ],
    ],
    ['P-1', C1, 'N-1', id('m'), '-100', 'false', id('d1'), '12.5', id('t1'), 'Surgery'],
    ['P-1', C1, 'N-1', id('m'), '-100', 'false', id('d1'), '12.5', id('t2'), missing],
    ['P-1', C1, 'N-1', id('m'), '-100', 'false', id('d2'), missing, missing, missing],
    ['P-1', C2, 'N-2', missing, missing, missing, missing, missing, missing, missing],
  )
  const exposure = tsv(
    'exposure.tsv',
    ['project.project_id', 'cases.case_id', 'exposures.exposure_id', 'exposures.exposure_type'],
    ['P-1', C1, missing, 'Tobacco'],
    ['P-1', C1, missing, 'Alcohol'],
    ['P-1', C1, missing, 'Tobacco'],
  )
  const pathology = tsv(
    'pathology_detail.tsv',
    ['cases.case_id', 'diagnoses.diagnosis_id', 'pathology_details.pathology_detail_id'],
    [C1, id('d2'), id('p1')],
  )
  const followUp = tsv(
    'follow_up.tsv',
    ['cases.case_id', 'follow_ups.follow_up_id', 'other_clinical_attributes.weight'],
    [C1, id('u1'), '70'],
  )
  const family = tsv('family_history.tsv', ['cases.case_id', 'family_histories.family_history_id'])
  const { documents, intake } = await documentsOf([
    ...[clinical, exposure, pathology, followUp, family],
  ])
  const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)
  expect(documents.cases).toMatchObject([
    {
      case_id: C1,
      project: { project_id: 'P-1' },
      demographic: { demographic_id: id('m'), days_to_birth: -100, age_is_obfuscated: false },
      diagnoses: [
        {
          diagnosis_id: id('d1'),
          days_to_last_follow_up: 12.5,
          treatments: [
            { treatment_id: id('t1'), treatment_type: 'Surgery' },
            { treatment_id: id('t2') },
          ],
        },
        { diagnosis_id: id('d2'), pathology_details: [{ pathology_detail_id: id('p1') }] },
      ],
      exposures: expect.toSatisfy((found: object[]) => found.length === 2),
      follow_ups: [
        {
          follow_up_id: id('u1'),
          other_clinical_attributes: [{ other_clinical_attribute_id: uuid, weight: 70 }],
        },
      ],
      diagnosis_ids: [id('d1'), id('d2')],
    },
    { case_id: C2, submitter_id: 'N-2' },
  ])
  expect(documents.cases?.[1]).not.toHaveProperty('demographic')
  expect(documents.projects).toMatchObject([{ project_id: 'P-1', summary: { case_count: 2 } }])
  expect(intake.reports.map(({ rows }) => rows)).toEqual([4, 3, 1, 1, 0])
})

test('biospecimen exports: each table brings its level', async () => {
  const common = ['cases.case_id', 'samples.sample_id']
  const { documents } = await documentsOf([
    tsv(
      'sample.tsv',
      [...common, 'samples.sample_type', 'samples.initial_weight'],
      [C1, id('s'), 'Primary Tumor', '1.5'],
    ),
    tsv(
      'slide.tsv',
      [...common, 'portions.portion_id', 'slides.slide_id', 'slides.percent_necrosis'],
      [C1, id('s'), id('p'), id('l'), '5'],
    ),
    tsv(
      'aliquot.tsv',
      [...common, 'portions.portion_id', 'analytes.analyte_id', 'aliquots.aliquot_id'],
      [C1, id('s'), id('p'), id('n'), id('q1')],
      [C1, id('s'), id('p'), id('n'), id('q2')],
    ),
  ])
  expect(documents.cases).toMatchObject([
    {
      samples: [
        {
          sample_id: id('s'),
          sample_type: 'Primary Tumor',
          initial_weight: 1.5,
          portions: [
            {
              portion_id: id('p'),
              slides: [{ slide_id: id('l'), percent_necrosis: 5 }],
              analytes: [
                {
                  analyte_id: id('n'),
                  aliquots: [{ aliquot_id: id('q1') }, { aliquot_id: id('q2') }],
                },
              ],
            },
          ],
        },
      ],
      sample_ids: [id('s')],
      portion_ids: [id('p')],
      slide_ids: [id('l')],
      analyte_ids: [id('n')],
      aliquot_ids: [id('q1'), id('q2')],
    },
  ])
})

test('exports of before 2024: columns without their group', async () => {
  const common = ['project_id', 'case_id', 'case_submitter_id']
  const { documents, intake } = await documentsOf([
    tsv(
      'clinical.tsv',
      [
        ...common,
        'gender',
        'vital_status',
        'primary_diagnosis',
        'ajcc_pathologic_t',
        'treatment_type',
      ],
      ['P-1', C1, 'N-1', 'male', 'Dead', 'Adenocarcinoma, NOS', 'T2', 'Radiation Therapy, NOS'],
      [
        'P-1',
        C1,
        'N-1',
        'male',
        'Dead',
        'Adenocarcinoma, NOS',
        'T2',
        'Pharmaceutical Therapy, NOS',
      ],
    ),
    tsv(
      'exposure.tsv',
      [...common, 'cigarettes_per_day', 'alcohol_history'],
      ['P-1', C1, 'N-1', '1.5', "'--"],
    ),
    tsv(
      'aliquot.tsv',
      [
        ...[...common, 'sample_id', 'sample_submitter_id', 'portion_id', 'portion_submitter_id'],
        ...['analyte_id', 'analyte_submitter_id', 'aliquot_id', 'aliquot_submitter_id'],
        ...['concentration', 'sample_type', 'colour'],
      ],
      [
        ...['P-1', C1, 'N-1', id('s'), 'S', id('p'), 'P', id('n'), 'A', id('q'), 'Q'],
        ...['0.5', 'Primary Tumor', 'red'],
      ],
    ),
  ])
  expect(documents.cases).toMatchObject([
    {
      case_id: C1,
      submitter_id: 'N-1',
      project: { project_id: 'P-1' },
      demographic: { gender: 'male', vital_status: 'Dead' },
      diagnoses: [
        {
          primary_diagnosis: 'Adenocarcinoma, NOS',
          ajcc_pathologic_t: 'T2',
          treatments: [{ treatment_type: expect.any(String) }, {}],
        },
      ],
      exposures: [{ cigarettes_per_day: 1.5 }],
      samples: [
        {
          sample_id: id('s'),
          submitter_id: 'S',
          sample_type: 'Primary Tumor',
          portions: [
            {
              portion_id: id('p'),
              submitter_id: 'P',
              analytes: [
                {
                  analyte_id: id('n'),
                  submitter_id: 'A',
                  aliquots: [{ aliquot_id: id('q'), submitter_id: 'Q', concentration: 0.5 }],
                },
              ],
            },
          ],
        },
      ],
    },
  ])
  expect(intake.reports.map(({ unknownFields }) => unknownFields)).toEqual([
    [],
    [],
    [{ name: 'colour', count: 1 }],
  ])
})

test('clinical entities have the members that clients expect', async () => {
  const { documents } = await documentsOf([
    tsv(
      'clinical.tsv',
      [
        ...['cases.case_id', 'demographic.race', 'diagnoses.morphology', 'diagnoses.state'],
        'treatments.treatment_type',
      ],
      [C1, 'white', '8140/3', 'released', 'Surgery'],
    ),
    tsv('follow_up.tsv', ['cases.case_id', 'follow_ups.follow_up_id'], [C1, id('u')]),
  ])
  const nothing = { state: null, created_datetime: null, updated_datetime: null }
  expect(documents.cases).toMatchObject([
    {
      demographic: { race: 'white', ...nothing },
      diagnoses: [{ ...nothing, state: 'released', treatments: [nothing] }],
      follow_ups: [nothing],
    },
  ])
})
