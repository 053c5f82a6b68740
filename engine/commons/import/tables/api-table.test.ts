import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
/** Members that records get in addition to those in their source. Other tests cover them. */
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

test('a column may be called as what all objects have', async () => {
  const names = ['file_id', 'file_name', 'access', '__proto__.polluted', 'constructor.polluted']
  const { documents } = await documentsOf([tsv('a.tsv', names, [F1, 'a', 'open', 'yes', 'yes'])])
  expect(documents.files).toMatchObject([{ file_id: F1 }])
  expect({}).not.toHaveProperty('polluted')
  expect({}.constructor).not.toHaveProperty('polluted')
})
