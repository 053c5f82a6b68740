import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const F3 = 'f3000000-0000-4000-8000-000000000003'
const F4 = 'f4000000-0000-4000-8000-000000000004'
const C1 = 'c1000000-0000-4000-8000-000000000001'
/** Returns ids that sort in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`

test('download manifests of both headers', async () => {
  const { documents, assembled } = await documentsOf([
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      [F1, 'x.FPKM.txt.gz', 'a'.repeat(32), '10', 'validated'],
    ),
    tsv(
      'n.txt',
      ['id', 'file_name', 'file_size', 'md5sum', 'case.submitter_id'],
      [F2, 'y.bam', '20', 'b'.repeat(32), 'N-1'],
    ),
    tsv('clinical.tsv', ['cases.case_id', 'cases.submitter_id'], [C1, 'N-1']),
  ])
  expect(documents.files).toMatchObject([
    {
      file_id: F1,
      file_name: 'x.FPKM.txt.gz',
      md5sum: 'a'.repeat(32),
      file_size: 10,
      state: 'validated',
      access: 'open',
    },
    {
      file_id: F2,
      file_name: 'y.bam',
      md5sum: 'b'.repeat(32),
      file_size: 20,
      cases: [{ case_id: C1 }],
    },
  ])
  expect(documents.cases).toMatchObject([
    { case_id: C1, summary: { file_count: 1, file_size: 20 } },
  ])
  expect(assembled).toMatchObject({ resolvedByName: 1, filesWithoutCase: 1 })
})

test('lists of files that name their cases in other ways', async () => {
  const { documents } = await documentsOf([
    tsv(
      'a.tsv',
      ['id', 'filename', 'md5', 'size', 'state', 'project_id', 'cases_0_submitter_id'],
      [F1, 'a', '', '1', 'released', 'P-1', 'N-1'],
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

test('an MD5 is in lower case; any other text, and a size below zero, are told', async () => {
  const upper = 'D41D8CD98F00B204E9800998ECF8427E'
  const { documents, intake } = await documentsOf([
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      [F1, 'a.txt', upper, '-5', 'released'],
      [F2, 'b.txt', '1.23E+31', '5', 'released'],
      [F3, 'c.txt', 'xyz', '5', 'released'],
      [F4, 'd.txt', `${upper}0`, '5', 'released'],
    ),
  ])
  const [first, second, ...others] = documents.files ?? []
  expect(first).toMatchObject({ file_id: F1, md5sum: upper.toLowerCase() })
  expect(first).not.toHaveProperty('file_size')
  expect(second).toMatchObject({ file_id: F2, file_size: 5 })
  expect(others).toHaveLength(2)
  for (const one of [second, ...others]) expect(one).not.toHaveProperty('md5sum')
  const told = intake.reports[0]?.columns.filter(({ misunderstood }) => misunderstood > 0)
  expect(told?.map(({ name, examples }) => [name, examples.map(({ cell }) => cell)])).toEqual([
    ['md5', ['1.23E+31', 'xyz', `${upper}0`]],
    ['size', ['-5']],
  ])
})
