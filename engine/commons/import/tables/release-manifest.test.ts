import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const F3 = 'f3000000-0000-4000-8000-000000000003'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const [M1, M2, M3, M4] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32), '4'.repeat(32)] as const
const UPPER = (text: string) => text.toUpperCase()
/** Returns ids that sort in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`

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
      [id('old'), 'a.tsv', M1, '10', 'P-1', C1, id('q1'), ...kind, F1, M2, '20'],
      [
        F2,
        'b.tsv',
        M3,
        '30',
        'P-1',
        `${C1},${C2}`,
        `${id('q2')},${id('q3')}`,
        ...kind,
        'NA',
        'NA',
        'NA',
      ],
      [F3, 'c.tsv', M4, '40', 'P-1', 'NA', 'NA', ...kind, 'NA', 'NA', 'NA'],
    ),
    // An older source also names the replaced file.
    tsv(
      'm.txt',
      ['id', 'filename', 'md5', 'size', 'state'],
      [id('old'), 'a.tsv', M1, '10', 'validated'],
    ),
  ])
  expect(documents.files).toMatchObject([
    {
      file_id: F1,
      file_name: 'a.tsv',
      md5sum: M2,
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
      md5: M1,
      size: 10,
      version: '1',
      state: 'validated',
      release: '32.0',
      next: { id: F1, filename: 'a.tsv', md5: M2, size: 20 },
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
        [file(3), 'c.txt', '', '1', 'released'],
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
      [file(1), 'a', '', '1'],
      [file(2), 'b', '', '1'],
    ),
  ])
  expect(documents.files).toHaveLength(2)
})
