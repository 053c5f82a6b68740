import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../test/commons/import/support/documents.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import { writeSheetHeader, writeSheetLines } from '../render/sample-sheet.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const F3 = 'f3000000-0000-4000-8000-000000000003'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const UPPER = (text: string) => text.toUpperCase()
/** Ids in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`
/** What a record is given beyond what its source says is tested elsewhere. */
const FILE_DEFAULTS = { state: 'released', version: '1', data_release: '1.0' }

test('a search answer as TSV: positions, types, gaps and empty cells', async () => {
  const header = [
    'id',
    'cases.1.case_id',
    'cases.0.case_id',
    'cases.0.samples.1.sample_id',
    'cases.0.project.dbgap_accession_number',
    'file_size',
    'file_name',
    'acl.0',
    'colour',
  ]
  const { documents, intake } = await documentsOf([
    tsv('a.tsv', header, [F1, C2, C1, 's2', 'phs1', '12', 'x.bam', 'phs1', 'red']),
    tsv('b.tsv', header, [F2, C2, '', '', '', '3.0', '', '', '']),
  ])
  expect(documents.files).toEqual([
    {
      ...FILE_DEFAULTS,
      file_id: F1,
      cases: [{ case_id: C1, samples: [{ sample_id: 's2' }] }, { case_id: C2 }],
      file_size: 12,
      file_name: 'x.bam',
      acl: ['phs1'],
      colour: 'red',
      data_format: 'BAM',
      access: 'controlled',
    },
    {
      ...FILE_DEFAULTS,
      file_id: F2,
      cases: [{ case_id: C2 }],
      file_size: 3,
      access: 'controlled',
    },
  ])
  expect(intake.reports[0]).toMatchObject({
    kind: 'search answer (TSV)',
    rows: 1,
    records: { files: 1 },
    unknownFields: [{ name: 'colour', count: 1 }],
  })
})

test("--as says what a search answer is when its columns don't", async () => {
  const source = tsv('a.tsv', ['id', 'state'], [C1, 'released'])
  const { documents } = await documentsOf([source], { as: 'cases' })
  expect(documents.cases).toMatchObject([{ case_id: C1, state: 'released' }])
  expect((await documentsOf([source])).intake.reports).toMatchObject([
    { notTaken: expect.stringContaining('columns') },
  ])
})

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

test('download manifests of both headers', async () => {
  const { documents, assembled } = await documentsOf([
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      [F1, 'x.FPKM.txt.gz', 'aa', '10', 'validated'],
    ),
    tsv(
      'n.txt',
      ['id', 'file_name', 'file_size', 'md5sum', 'case.submitter_id'],
      [F2, 'y.bam', '20', 'bb', 'N-1'],
    ),
    tsv('clinical.tsv', ['cases.case_id', 'cases.submitter_id'], [C1, 'N-1']),
  ])
  expect(documents.files).toMatchObject([
    {
      file_id: F1,
      file_name: 'x.FPKM.txt.gz',
      md5sum: 'aa',
      file_size: 10,
      state: 'validated',
      access: 'open',
    },
    { file_id: F2, file_name: 'y.bam', md5sum: 'bb', file_size: 20, cases: [{ case_id: C1 }] },
  ])
  expect(documents.cases).toMatchObject([
    { case_id: C1, summary: { file_count: 1, file_size: 20 } },
  ])
  expect(assembled).toMatchObject({ resolvedByName: 1, filesWithoutCase: 1 })
})

test('project manifests: the new file is the record, the old one history', async () => {
  const header = [
    ...['id', 'filename', 'md5', 'size', 'project_id', 'case_ids', 'aliquot_ids', 'data_category'],
    ...['data_type', 'experimental_strategy', 'workflow_type', 'new_id', 'new_md5', 'new_size'],
  ]
  const kind = [
    'Transcriptome Profiling',
    'Gene Expression Quantification',
    'RNA-Seq',
    'STAR - Counts',
  ]
  const { documents, versions } = await documentsOf([
    tsv(
      'GCv36.P-1.tsv',
      header,
      [id('old'), 'a.tsv', 'm1', '10', 'P-1', C1, id('q1'), ...kind, F1, 'm2', '20'],
      [
        F2,
        'b.tsv',
        'm3',
        '30',
        'P-1',
        `${C1},${C2}`,
        `${id('q2')},${id('q3')}`,
        ...kind,
        'NA',
        'NA',
        'NA',
      ],
      [F3, 'c.tsv', 'm4', '40', 'P-1', 'NA', 'NA', ...kind, 'NA', 'NA', 'NA'],
    ),
    // The replaced file is named by an older source too.
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      [id('old'), 'a.tsv', 'm1', '10', 'validated'],
    ),
  ])
  expect(documents.files).toMatchObject([
    {
      file_id: F1,
      file_name: 'a.tsv',
      md5sum: 'm2',
      file_size: 20,
      version: '2',
      analysis: { workflow_type: 'STAR - Counts' },
      type: 'gene_expression',
      cases: [
        {
          case_id: C1,
          samples: [{ portions: [{ analytes: [{ aliquots: [{ aliquot_id: id('q1') }] }] }] }],
        },
      ],
    },
    {
      file_id: F2,
      version: '1',
      cases: [{ case_id: C1 }, { case_id: C2 }],
      associated_entities: [
        { entity_id: id('q2'), entity_type: 'aliquot' },
        { entity_id: id('q3'), entity_type: 'aliquot' },
      ],
    },
    { file_id: F3 },
  ])
  expect(documents.files?.[2]).not.toHaveProperty('cases')
  expect(versions).toEqual([
    {
      id: id('old'),
      filename: 'a.tsv',
      md5: 'm1',
      size: 10,
      version: '1',
      state: 'validated',
      release: '32.0',
      next: { id: F1, filename: 'a.tsv', md5: 'm2', size: 20 },
    },
  ])
  expect(documents.projects).toMatchObject([
    {
      project_id: 'P-1',
      program: { name: 'P' },
      summary: {
        case_count: 2,
        file_count: 2,
        file_size: 50,
        data_categories: [
          { data_category: 'Transcriptome Profiling', file_count: 2, case_count: 2 },
        ],
        experimental_strategies: [
          { experimental_strategy: 'RNA-Seq', file_count: 2, case_count: 2 },
        ],
      },
    },
  ])
})

test('tables of replaced files are history alone, through several releases', async () => {
  const header = ['Data Format', 'Old File UUID', 'Old File Name', 'New File UUID', 'New File Name']
  const file = (n: number) => `${n}0000000-0000-4000-8000-000000000000`
  const { documents, versions, intake } = await documentsOf(
    [
      tsv('DR6.0_files_swap.tsv', header, ['VCF', file(1), 'a', file(2), 'b'], ['=======']),
      tsv(
        'DR8.0_files_swap.tsv',
        header,
        ['VCF', UPPER(file(2)), 'b', file(3), 'c'],
        ['VCF', 'x', 'y', 'z', ''],
      ),
      tsv(
        'm.txt',
        ['id', 'filename', 'md5', 'size', 'state'],
        [file(3), 'c.txt', 'm', '1', 'released'],
      ),
    ],
    { maxErrors: 2 },
  )
  expect(versions).toEqual([
    {
      id: file(1),
      filename: 'a',
      version: '1',
      release: '6.0',
      next: { id: file(2), filename: 'b' },
    },
    {
      id: file(2),
      filename: 'b',
      version: '2',
      release: '8.0',
      next: { id: file(3), filename: 'c' },
    },
  ])
  expect(documents.files).toMatchObject([{ file_id: file(3), version: '3' }])
  expect(intake.badRows).toEqual([
    { source: expect.any(String), line: 3, reason: 'the row has 1 columns, the header 5' },
    { source: expect.any(String), line: 3, reason: 'Old File UUID is "x", which is no UUID' },
  ])
})

test('files that replace each other are no history', async () => {
  const header = ['Old File UUID', 'New File UUID']
  const file = (n: number) => `${n}0000000-0000-4000-8000-000000000000`
  const { documents } = await documentsOf([
    tsv('DR6.0.tsv', header, [file(1), file(2)], [file(2), file(1)]),
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size'],
      [file(1), 'a', 'm', '1'],
      [file(2), 'b', 'm', '1'],
    ),
  ])
  expect(documents.files).toHaveLength(2)
})

test('a sample sheet that the service writes gives the same records', async () => {
  const sampleOf = (submitter_id: string, sample_type: string) => ({ submitter_id, sample_type })
  const project = { project_id: 'P-1' }
  const file = {
    ...{ file_id: F1, file_name: 'a.bam', data_category: 'X', data_type: 'Y' },
    cases: [
      {
        ...{ submitter_id: 'N-1', project },
        samples: [sampleOf('N-1-01', 'Primary Tumor'), sampleOf('N-1-10', 'Blood Derived Normal')],
      },
      { submitter_id: 'N-2', project, samples: [sampleOf('N-2-01', 'Metastatic')] },
    ],
  }
  const sink = new ByteSink(Buffer.alloc(4096))
  writeSheetHeader(sink)
  writeSheetLines([file], sink)
  const lines = Buffer.from(sink.take()).toString().split('\n').slice(0, -1)
  const [header = [], ...rows] = lines.map((line) => line.split('\t'))
  const { documents } = await documentsOf([tsv('sheet.tsv', header, ...rows)])
  expect(documents.files).toMatchObject([{ file_id: F1, file_name: 'a.bam', data_type: 'Y' }])
  const cases = (documents.cases ?? []).toSorted((one, other) =>
    String(one.submitter_id) < String(other.submitter_id) ? -1 : 1,
  )
  expect(cases).toMatchObject(file.cases)
})

test('sample sheets: cases and samples by name, in step', async () => {
  const header = [
    'File ID',
    'File Name',
    'Data Category',
    'Data Type',
    'Project ID',
    'Case ID',
    'Sample ID',
    'Sample Type',
  ]
  const { documents } = await documentsOf([
    tsv(
      'gdc_sample_sheet.tsv',
      header,
      [
        F1,
        'a.bam',
        'Sequencing Reads',
        'Aligned Reads',
        'P-1, P-2',
        'N-1, N-2',
        'N-1-01, N-2-01',
        'Primary Tumor, Metastatic',
      ],
      [
        F2,
        'b.vcf',
        'X',
        'Y',
        'P-1, P-1',
        'N-1, N-1',
        'N-1-01, N-1-10',
        'Primary Tumor, Blood Derived Normal',
      ],
    ),
  ])
  const [one, two] = documents.cases ?? []
  expect([one?.submitter_id, two?.submitter_id].sort()).toEqual(['N-1', 'N-2'])
  const first = documents.cases?.find((each) => each.submitter_id === 'N-1')
  expect(first).toMatchObject({
    project: { project_id: 'P-1' },
    samples: [
      { submitter_id: 'N-1-01', sample_type: 'Primary Tumor' },
      { submitter_id: 'N-1-10', sample_type: 'Blood Derived Normal' },
    ],
    submitter_sample_ids: ['N-1-01', 'N-1-10'],
  })
  expect(documents.files?.[1]).toMatchObject({ cases: [{ case_id: first?.case_id }] })
})

test('tables of alignment files with case, sample and aliquot', async () => {
  const { documents } = await documentsOf([
    tsv(
      'cohort_wgs.tsv',
      [
        ...['file_id', 'file_name', 'project_id', 'case_id', 'case_submitter_id', 'sample_id'],
        ...[
          'sample_submitter_id',
          'sample_type',
          'aliquot_id',
          'aliquot_submitter_id',
          'read_length',
        ],
      ],
      [
        F1,
        'a.bam',
        'P-1',
        C1,
        'N-1',
        id('s1'),
        'N-1-01',
        'Primary Tumor',
        id('q1'),
        'N-1-01-D',
        '151',
      ],
    ),
  ])
  const samples = [
    {
      sample_id: id('s1'),
      submitter_id: 'N-1-01',
      sample_type: 'Primary Tumor',
      portions: [
        { analytes: [{ aliquots: [{ aliquot_id: id('q1'), submitter_id: 'N-1-01-D' }] }] },
      ],
    },
  ]
  expect(documents.files).toMatchObject([
    {
      data_format: 'BAM',
      data_type: 'Aligned Reads',
      experimental_strategy: 'WGS',
      average_read_length: 151,
      access: 'controlled',
      acl: ['P-1'],
      cases: [{ case_id: C1, samples }],
    },
  ])
  expect(documents.cases).toMatchObject([
    {
      case_id: C1,
      submitter_id: 'N-1',
      samples,
      aliquot_ids: [id('q1')],
      submitter_aliquot_ids: ['N-1-01-D'],
    },
  ])
})

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

test('gene tables: one model with descriptions, the copy on Y under its version', async () => {
  const model = tsv(
    'genes.tsv',
    [
      'gene_id',
      'gene_id_version',
      'symbol',
      'biotype',
      'chromosome',
      'start',
      'end',
      'strand',
      'hgnc_id',
    ],
    ['ENSG1', 'ENSG1.1', 'AAA', 'protein_coding', 'chrX', '10', '20', '-1', 'HGNC:1'],
    ['ENSG1', 'ENSG1.1_PAR_Y', 'AAA', 'protein_coding', 'chrY', '10', '20', '-1', ''],
    ['ENSG2', 'ENSG2.1', 'BBB', 'lncRNA', 'chrM', '5', '1', '1', ''],
  )
  const descriptions = tsv(
    'descriptions.tsv',
    ['ensgene', 'entrez', 'symbol', 'chr', 'start', 'end', 'strand', 'biotype', 'description'],
    ['ENSG1', '7', 'OLD', 'X', '11', '21', '1', 'protein_coding', 'first gene'],
    ['ENSG1', '8', 'OLD', 'X', '11', '21', '1', 'protein_coding', 'first gene'],
  )
  const [one, other] = await Promise.all([
    documentsOf([model, descriptions], { maxErrors: 1 }),
    documentsOf([descriptions, model], { maxErrors: 1 }),
  ])
  expect(one.texts).toEqual(other.texts)
  expect(one.documents.genes).toMatchObject([
    {
      gene_id: 'ENSG1',
      symbol: 'AAA',
      name: 'first gene',
      description: 'first gene',
      gene_chromosome: 'X',
      gene_start: 10,
      gene_end: 20,
      gene_strand: -1,
      external_db_ids: { hgnc: ['HGNC:1'], entrez_gene: ['7', '8'] },
    },
    { gene_id: 'ENSG1.1_PAR_Y', gene_chromosome: 'Y' },
  ])
  expect(one.intake.badRows).toMatchObject([
    { line: 4, reason: 'start and end are no span: 5 to 1' },
  ])
})

test('annotations in CSV, with quotes and line breaks, stand in their cases too', async () => {
  const content = [
    'Data Release,Annotation UUID,Entity UUID,Case UUID,Project,Classification,Category,Created On,Notes',
    `40,${id('a1')},${F1},${C1},P-1,Notification,General,2024-03-15T12:19:20-05:00,"one, ""two""\nthree"`,
    `41,${id('a2')},${C1},${C1},P-1,Redaction,General,2024-07-01T10:45:56-05:00,plain`,
    `41,${id('a3')},reads.fastq.gz,${C2},P-1,Redaction,General,2024-07-01T10:45:56-05:00,plain`,
  ].join('\n')
  const { documents } = await documentsOf([{ name: 'annotations.csv', content }])
  expect(documents.annotations).toMatchObject([
    {
      annotation_id: id('a1'),
      entity_id: F1,
      notes: 'one, "two"\nthree',
      project: { project_id: 'P-1' },
    },
    { annotation_id: id('a2'), entity_type: 'case', case_id: C1 },
    { annotation_id: id('a3'), entity_submitter_id: 'reads.fastq.gz' },
  ])
  expect(documents.cases).toMatchObject([
    { case_id: C1, annotations: [{ annotation_id: id('a2') }], project: { project_id: 'P-1' } },
    { case_id: C2 },
  ])
})

test('a table is told by its columns and read whatever its name and packing', async () => {
  const { name, content } = tsv('m.txt', ['id', 'filename', 'md5', 'size'], [F1, 'a', 'm', '1'])
  for (const given of [
    { name: 'data.bin', content },
    { name: 'm.gz', content: gzipSync(content) },
    { name, content: `\ufeff${String(content).replaceAll('\n', '\r\n')}` },
    { name, content: `# made for a test\n\n${content}` },
  ]) {
    expect((await documentsOf([given])).documents.files).toMatchObject([{ file_id: F1 }])
  }
})

test('tables that were put one behind the other: headers in between are skipped', async () => {
  const header = ['id', 'filename', 'md5', 'size']
  const other = ['id', 'md5', 'filename', 'size', 'state']
  const { documents, intake } = await documentsOf([
    tsv(
      'all.tsv',
      header,
      [F1, 'a', 'm1', '1'],
      ['# made on Monday'],
      header,
      [F2, 'b', 'm2', '2'],
      other,
      [F3, 'm3', 'c', '3', 'released'],
    ),
    {
      name: 'all.csv',
      content: `Annotation UUID,Case UUID\n${F1},${C1}\nAnnotation UUID,Case UUID\n`,
    },
  ])
  expect(documents.files).toMatchObject([
    { file_id: F1, file_name: 'a', md5sum: 'm1', file_size: 1 },
    { file_id: F2, file_name: 'b', md5sum: 'm2', file_size: 2 },
    { file_id: F3, file_name: 'c', md5sum: 'm3', file_size: 3, state: 'released' },
  ])
  expect(intake.reports).toMatchObject([
    { rows: 3, badRows: 0, repeatedHeaders: 3 },
    { rows: 1, repeatedHeaders: 1 },
  ])
})

test('lines that end with a carriage return alone', async () => {
  const { content } = tsv('m.txt', ['id', 'filename', 'md5', 'size'], [F1, 'a', 'm', '1'])
  const given = { name: 'm.txt', content: String(content).replaceAll('\n', '\r') }
  expect((await documentsOf([given])).documents.files).toMatchObject([{ file_id: F1, md5sum: 'm' }])
  const csv = `Annotation UUID,Case UUID,Notes\r${F1},${C1},"one, two"\r`
  const { documents } = await documentsOf([{ name: 'a.csv', content: csv }])
  expect(documents.annotations).toMatchObject([{ case_id: C1, notes: 'one, two' }])
})

test('a text in the place of an id is reported with its column', async () => {
  const rows = (name: string, ...cells: readonly (readonly string[])[]) => tsv(name, ...cells)
  const reasonOf = async (source: ReturnType<typeof tsv>) =>
    (await documentsOf([source], { maxErrors: 1 })).intake.badRows.map(({ reason }) => reason)
  expect(
    await reasonOf(rows('m.txt', ['id', 'filename', 'md5', 'size'], ['x.bam', 'x.bam', 'm', '1'])),
  ).toEqual(['id is "x.bam", which is no UUID'])
  expect(
    await reasonOf(
      rows('c.tsv', ['cases.case_id', 'cases.primary_site'], ['TCGA-05-4244', 'Lung']),
    ),
  ).toEqual([
    'cases.case_id is "TCGA-05-4244", which is no UUID; it is a name, which has a column of its own',
  ])
  expect(
    await reasonOf(
      rows('c.tsv', ['cases.case_id', 'samples.sample_id'], [C1, "'--"], [C1, 'TCGA-05-4244-01A']),
    ),
  ).toEqual([expect.stringContaining('samples.sample_id is "TCGA-05-4244-01A"')])
  // A service may have other ids, but a barcode is none.
  expect(
    await reasonOf(
      rows(
        'f.tsv',
        ['file_id', 'file_name', 'case_id'],
        ['f', 'a', 'c'],
        ['f', 'a', 'TCGA-05-4244'],
      ),
    ),
  ).toEqual([expect.stringContaining('case_id is "TCGA-05-4244", which is no UUID')])
})

test('lists of files that name their cases in other ways', async () => {
  const { documents } = await documentsOf([
    tsv(
      'a.tsv',
      ['id', 'filename', 'md5', 'size', 'state', 'project_id', 'cases_0_submitter_id'],
      [F1, 'a', 'm', '1', 'released', 'P-1', 'N-1'],
    ),
    tsv(
      'b.tsv',
      [
        ...['file_id', 'file_name', 'cases_0_submitter_id', 'cases_0_samples_0_sample_type'],
        ...['cases_0_samples_0_portions_0_analytes_0_aliquots_0_aliquot_id', 'project_id'],
        'analysis_workflow_type',
      ],
      [F2, 'b', 'N-1', 'Primary Tumor', id('q'), 'P-1', 'STAR'],
    ),
  ])
  const [first, second] = documents.files ?? []
  expect(documents.cases).toMatchObject([{ submitter_id: 'N-1', project: { project_id: 'P-1' } }])
  expect(first).toMatchObject({ file_id: F1, cases: [{ case_id: documents.cases?.[0]?.case_id }] })
  expect(second).toMatchObject({
    analysis: { workflow_type: 'STAR' },
    cases: [
      {
        samples: [
          {
            sample_type: 'Primary Tumor',
            portions: [{ analytes: [{ aliquots: [{ aliquot_id: id('q') }] }] }],
          },
        ],
      },
    ],
  })
})

test('a column may be called as what all objects have', async () => {
  const names = ['file_id', 'file_name', 'access', '__proto__.polluted', 'constructor.polluted']
  const { documents } = await documentsOf([tsv('a.tsv', names, [F1, 'a', 'open', 'yes', 'yes'])])
  expect(documents.files).toMatchObject([{ file_id: F1 }])
  expect({}).not.toHaveProperty('polluted')
  expect({}.constructor).not.toHaveProperty('polluted')
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
      ...{ case_id: C1, submitter_id: 'N-1', project: { project_id: 'P-1' } },
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
          ...{ sample_id: id('s'), submitter_id: 'S', sample_type: 'Primary Tumor' },
          portions: [
            {
              ...{ portion_id: id('p'), submitter_id: 'P' },
              analytes: [
                {
                  ...{ analyte_id: id('n'), submitter_id: 'A' },
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
  // What another source of the same standing says is overwritten by the later one.
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
