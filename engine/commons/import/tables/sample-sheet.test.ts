import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { writeSheetHeader, writeSheetLines } from '../../render/sample-sheet.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'

test('a sample sheet that the service writes gives the same records', async () => {
  const sampleOf = (submitter_id: string, sample_type: string) => ({ submitter_id, sample_type })
  const project = { project_id: 'P-1' }
  const file = {
    file_id: F1,
    file_name: 'a.bam',
    data_category: 'X',
    data_type: 'Y',
    cases: [
      {
        submitter_id: 'N-1',
        project,
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

test('commas within values of a sample sheet come back as they were', async () => {
  const marrow = 'Blood Derived Cancer - Bone Marrow, Post-treatment'
  const project = { project_id: 'P-1' }
  const files = [
    {
      file_id: F1,
      file_name: 'a.bam',
      cases: [
        {
          submitter_id: 'N-1, "x"',
          project,
          samples: [
            { submitter_id: 'N-1-01', sample_type: marrow, specimen_type: 'a "b"' },
            { submitter_id: 'N-1-02', sample_type: 'Metastatic' },
          ],
        },
        {
          submitter_id: 'N-2',
          project,
          samples: [{ submitter_id: 'N-2-01', sample_type: marrow }],
        },
      ],
    },
    {
      file_id: F2,
      file_name: 'b.bam',
      cases: [
        { submitter_id: 'N-3', project, samples: [{ submitter_id: 'N,3', sample_type: marrow }] },
      ],
    },
  ]
  const sink = new ByteSink(Buffer.alloc(4096))
  writeSheetHeader(sink)
  writeSheetLines(files, sink)
  const text = Buffer.from(sink.take()).toString()
  // A single value is written as in the portal's sheets.
  expect(text).toContain(`\t${marrow}\t`)
  const { documents, intake } = await documentsOf([{ name: 'sheet.tsv', content: text }])
  expect(intake.badRows).toEqual([])
  const cases = (documents.cases ?? []).toSorted((one, other) =>
    String(one.submitter_id) < String(other.submitter_id) ? -1 : 1,
  )
  expect(cases).toMatchObject(files.flatMap((file) => file.cases))
})

test('lists of a sample sheet that are out of step are not guessed', async () => {
  const header = ['File ID', 'File Name', 'Case ID', 'Sample ID', 'Sample Type', 'Tissue Type']
  const types = 'Bone Marrow, Post-treatment, Metastatic'
  const { documents, intake } = await documentsOf(
    [
      tsv(
        'sheet.tsv',
        header,
        [F1, 'a.bam', 'N-1', 'N-1-01, N-1-02', types, 'Tumor, Normal'],
        [F2, 'b.bam', 'N-1, N-2', 'N-1-01, N-1-02, N-2-01', 'a, b, c', ''],
      ),
    ],
    { maxErrors: 1 },
  )
  expect(documents.cases).toMatchObject([
    {
      samples: [
        { submitter_id: 'N-1-01', tissue_type: 'Tumor' },
        { submitter_id: 'N-1-02', tissue_type: 'Normal' },
      ],
    },
  ])
  expect(JSON.stringify(documents.cases)).not.toContain('sample_type":"')
  const columns = intake.reports[0]?.columns ?? []
  expect(columns.find(({ name }) => name === 'Sample Type')).toMatchObject({
    misunderstood: 1,
    examples: [{ line: 2, cell: types }],
  })
  expect(intake.badRows).toMatchObject([
    { line: 3, reason: expect.stringContaining('2 values in "Case ID" and 3 in "Sample ID"') },
  ])
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

test('names with separators of other programs are no names', async () => {
  const header = ['File ID', 'File Name', 'Case ID', 'Sample ID']
  const rows = [
    [F1, 'a.txt', 'C-1;C-1', 'S-1;S-2'],
    [F2, 'b.txt', 'C-1', 'S-1|S-2'],
  ]
  const given = [tsv('sheet.tsv', header, ...rows)]
  const { documents, intake } = await documentsOf(given, { maxErrors: 9 })
  expect(documents).not.toHaveProperty('cases')
  expect(intake.badRows.map(({ reason }) => reason)).toEqual([
    '"C-1;C-1" in "Case ID" is no name; give several with commas between them',
    '"S-1|S-2" in "Sample ID" is no name; give several with commas between them',
  ])
})
