import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const UPPER = (id: string) => id.toUpperCase()
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
    ['P-1', C1, 'N-1', 'm', '-100', 'false', 'd1', '12.5', 't1', 'Surgery'],
    ['P-1', C1, 'N-1', 'm', '-100', 'false', 'd1', '12.5', 't2', missing],
    ['P-1', C1, 'N-1', 'm', '-100', 'false', 'd2', missing, missing, missing],
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
    [C1, 'd2', 'p1'],
  )
  const followUp = tsv(
    'follow_up.tsv',
    ['cases.case_id', 'follow_ups.follow_up_id', 'other_clinical_attributes.weight'],
    [C1, 'u1', '70'],
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
      demographic: { demographic_id: 'm', days_to_birth: -100, age_is_obfuscated: 'false' },
      diagnoses: [
        {
          diagnosis_id: 'd1',
          days_to_last_follow_up: 12.5,
          treatments: [{ treatment_id: 't1', treatment_type: 'Surgery' }, { treatment_id: 't2' }],
        },
        { diagnosis_id: 'd2', pathology_details: [{ pathology_detail_id: 'p1' }] },
      ],
      exposures: [
        { exposure_id: uuid, exposure_type: 'Tobacco' },
        { exposure_id: uuid, exposure_type: 'Alcohol' },
      ],
      follow_ups: [
        {
          follow_up_id: 'u1',
          other_clinical_attributes: [{ other_clinical_attribute_id: uuid, weight: 70 }],
        },
      ],
      diagnosis_ids: ['d1', 'd2'],
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
      [C1, 's', 'Primary Tumor', '1.5'],
    ),
    tsv(
      'slide.tsv',
      [...common, 'portions.portion_id', 'slides.slide_id', 'slides.percent_necrosis'],
      [C1, 's', 'p', 'l', '5'],
    ),
    tsv(
      'aliquot.tsv',
      [...common, 'portions.portion_id', 'analytes.analyte_id', 'aliquots.aliquot_id'],
      [C1, 's', 'p', 'n', 'q1'],
      [C1, 's', 'p', 'n', 'q2'],
    ),
  ])
  expect(documents.cases).toMatchObject([
    {
      samples: [
        {
          sample_id: 's',
          sample_type: 'Primary Tumor',
          initial_weight: 1.5,
          portions: [
            {
              portion_id: 'p',
              slides: [{ slide_id: 'l', percent_necrosis: 5 }],
              analytes: [
                { analyte_id: 'n', aliquots: [{ aliquot_id: 'q1' }, { aliquot_id: 'q2' }] },
              ],
            },
          ],
        },
      ],
      sample_ids: ['s'],
      portion_ids: ['p'],
      slide_ids: ['l'],
      analyte_ids: ['n'],
      aliquot_ids: ['q1', 'q2'],
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
      ['old', 'a.tsv', 'm1', '10', 'P-1', C1, 'q1', ...kind, F1, 'm2', '20'],
      [F2, 'b.tsv', 'm3', '30', 'P-1', `${C1},${C2}`, 'q2,q3', ...kind, 'NA', 'NA', 'NA'],
      ['f3', 'c.tsv', 'm4', '40', 'P-1', 'NA', 'NA', ...kind, 'NA', 'NA', 'NA'],
    ),
    // The replaced file is named by an older source too.
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      ['old', 'a.tsv', 'm1', '10', 'validated'],
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
          samples: [{ portions: [{ analytes: [{ aliquots: [{ aliquot_id: 'q1' }] }] }] }],
        },
      ],
    },
    {
      file_id: F2,
      version: '1',
      cases: [{ case_id: C1 }, { case_id: C2 }],
      associated_entities: [
        { entity_id: 'q2', entity_type: 'aliquot' },
        { entity_id: 'q3', entity_type: 'aliquot' },
      ],
    },
    { file_id: 'f3' },
  ])
  expect(documents.files?.[2]).not.toHaveProperty('cases')
  expect(versions).toEqual([
    {
      id: 'old',
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
  const id = (n: number) => `${n}0000000-0000-4000-8000-000000000000`
  const { documents, versions, intake } = await documentsOf(
    [
      tsv('DR6.0_files_swap.tsv', header, ['VCF', id(1), 'a', id(2), 'b'], ['=======']),
      tsv(
        'DR8.0_files_swap.tsv',
        header,
        ['VCF', UPPER(id(2)), 'b', id(3), 'c'],
        ['VCF', 'x', 'y', 'z', ''],
      ),
      tsv(
        'm.txt',
        ['id', 'filename', 'md5', 'size', 'state'],
        [id(3), 'c.txt', 'm', '1', 'released'],
      ),
    ],
    { maxErrors: 2 },
  )
  expect(versions).toEqual([
    { id: id(1), filename: 'a', version: '1', release: '6.0', next: { id: id(2), filename: 'b' } },
    { id: id(2), filename: 'b', version: '2', release: '8.0', next: { id: id(3), filename: 'c' } },
  ])
  expect(documents.files).toMatchObject([{ file_id: id(3), version: '3' }])
  expect(intake.badRows).toEqual([
    { source: expect.any(String), line: 3, reason: 'the row has 1 columns, the header 5' },
    { source: expect.any(String), line: 3, reason: 'the row names no two files' },
  ])
})

test('files that replace each other are no history', async () => {
  const header = ['Old File UUID', 'New File UUID']
  const id = (n: number) => `${n}0000000-0000-4000-8000-000000000000`
  const { documents } = await documentsOf([
    tsv('DR6.0.tsv', header, [id(1), id(2)], [id(2), id(1)]),
    tsv('m.txt', ['id', 'filename', 'md5', 'size'], [id(1), 'a', 'm', '1'], [id(2), 'b', 'm', '1']),
  ])
  expect(documents.files).toHaveLength(2)
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
      [F1, 'a.bam', 'P-1', C1, 'N-1', 's1', 'N-1-01', 'Primary Tumor', 'q1', 'N-1-01-D', '151'],
    ),
  ])
  const samples = [
    {
      sample_id: 's1',
      submitter_id: 'N-1-01',
      sample_type: 'Primary Tumor',
      portions: [{ analytes: [{ aliquots: [{ aliquot_id: 'q1', submitter_id: 'N-1-01-D' }] }] }],
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
      aliquot_ids: ['q1'],
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
    [C1, 'Gliomas', 'm1', 'd1', '9440/9'],
  )
  const [one, other] = await Promise.all([
    documentsOf([legacy, clinical]),
    documentsOf([clinical, legacy]),
  ])
  expect(one.texts).toEqual(other.texts)
  expect(one.documents.cases?.[0]).toMatchObject({
    disease_type: 'Gliomas',
    demographic: { demographic_id: 'm1', gender: 'female' },
    diagnoses: [{ diagnosis_id: 'd1', morphology: '9440/9', age_at_diagnosis: 22280 }],
    diagnosis_ids: ['d1'],
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
  expect(one.intake.badRows).toMatchObject([{ line: 4, reason: 'start and end are no span' }])
})

test('annotations in CSV, with quotes and line breaks, stand in their cases too', async () => {
  const content = [
    'Data Release,Annotation UUID,Entity UUID,Case UUID,Project,Classification,Category,Created On,Notes',
    `40,a1,${F1},${C1},P-1,Notification,General,2024-03-15T12:19:20-05:00,"one, ""two""\nthree"`,
    `41,a2,${C1},${C1},P-1,Redaction,General,2024-07-01T10:45:56-05:00,plain`,
    `41,a3,reads.fastq.gz,${C2},P-1,Redaction,General,2024-07-01T10:45:56-05:00,plain`,
  ].join('\n')
  const { documents } = await documentsOf([{ name: 'annotations.csv', content }])
  expect(documents.annotations).toMatchObject([
    {
      annotation_id: 'a1',
      entity_id: F1,
      notes: 'one, "two"\nthree',
      project: { project_id: 'P-1' },
    },
    { annotation_id: 'a2', entity_type: 'case', case_id: C1 },
    { annotation_id: 'a3', entity_submitter_id: 'reads.fastq.gz' },
  ])
  expect(documents.cases).toMatchObject([
    { case_id: C1, annotations: [{ annotation_id: 'a2' }], project: { project_id: 'P-1' } },
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
