import { expect, test } from 'vitest'
import { documentsOf } from '../../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
/** Returns ids that sort in the order of their names. */
const id = (name: string) =>
  `${Buffer.from(name).toString('hex').padEnd(8, '0')}-0000-4000-8000-000000000000`

test('annotations in CSV, with quotes and line breaks, stand in their cases too', async () => {
  const content = [
    'Data Release,Annotation UUID,Entity UUID,Case UUID,Project,Classification,Category,Created On,Notes',
    `40,${id('a1')},${F1},${C1},P-1,Notification,General,2024-03-15T12:19:20-05:00,"one, ""two""\nthree"`,
    `41,${id('a2')},${C1},${C1},P-1,Redaction,General,2024-07-01T10:45:56-05:00,plain`,
    `41,${id('a3')},reads.fastq.gz,${C2},P-1,Redaction,General,07/01/2024,plain`,
    `41,${id('a4')},reads.fastq.gz,${C2},P-1,Redaction,General,2024-07-01 10:45:56,plain`,
  ].join('\n')
  const { documents, intake } = await documentsOf([{ name: 'annotations.csv', content }])
  expect(intake.reports[0]?.columns.find(({ name }) => name === 'Created On')).toMatchObject({
    taken: 3,
    misunderstood: 1,
    examples: [{ line: 5, cell: '07/01/2024' }],
    changed: [{ name: 'written with a T before the time', count: 1 }],
  })
  expect(documents.annotations).toMatchObject([
    {
      annotation_id: id('a1'),
      entity_id: F1,
      notes: 'one, "two"\nthree',
      project: { project_id: 'P-1' },
    },
    { annotation_id: id('a2'), entity_type: 'case', case_id: C1 },
    { annotation_id: id('a3'), entity_submitter_id: 'reads.fastq.gz' },
    { annotation_id: id('a4'), created_datetime: '2024-07-01T10:45:56' },
  ])
  expect(documents.annotations?.[2]).not.toHaveProperty('created_datetime')
  expect(documents.cases).toMatchObject([
    { case_id: C1, annotations: [{ annotation_id: id('a2') }], project: { project_id: 'P-1' } },
    { case_id: C2 },
  ])
})
