import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../test/commons/import/support/documents.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const F3 = 'f3000000-0000-4000-8000-000000000003'
const C1 = 'c1000000-0000-4000-8000-000000000001'

test('a table is told by its columns and read whatever its name and packing', async () => {
  const { name, content } = tsv(
    'm.txt',
    ['id', 'filename', 'md5', 'size'],
    [F1, 'a', 'a'.repeat(32), '1'],
  )
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
      [F1, 'a', '1'.repeat(32), '1'],
      ['# made on Monday'],
      header,
      [F2, 'b', '2'.repeat(32), '2'],
      other,
      [F3, '3'.repeat(32), 'c', '3', 'released'],
    ),
    {
      name: 'all.csv',
      content: `Annotation UUID,Case UUID\n${F1},${C1}\nAnnotation UUID,Case UUID\n`,
    },
  ])
  expect(documents.files).toMatchObject([
    { file_id: F1, file_name: 'a', md5sum: '1'.repeat(32), file_size: 1 },
    { file_id: F2, file_name: 'b', md5sum: '2'.repeat(32), file_size: 2 },
    { file_id: F3, file_name: 'c', md5sum: '3'.repeat(32), file_size: 3, state: 'released' },
  ])
  expect(intake.reports).toMatchObject([
    { rows: 3, badRows: 0, repeatedHeaders: 3 },
    { rows: 1, repeatedHeaders: 1 },
  ])
})

test('lines that end with a carriage return alone', async () => {
  const { content } = tsv(
    'm.txt',
    ['id', 'filename', 'md5', 'size'],
    [F1, 'a', 'a'.repeat(32), '1'],
  )
  const given = { name: 'm.txt', content: String(content).replaceAll('\n', '\r') }
  expect((await documentsOf([given])).documents.files).toMatchObject([
    { file_id: F1, md5sum: 'a'.repeat(32) },
  ])
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
    'cases.case_id is "TCGA-05-4244", which is no UUID; it is a name, which belongs in another column',
  ])
  expect(
    await reasonOf(
      rows('c.tsv', ['cases.case_id', 'samples.sample_id'], [C1, "'--"], [C1, 'TCGA-05-4244-01A']),
    ),
  ).toEqual([expect.stringContaining('samples.sample_id is "TCGA-05-4244-01A"')])
  // Another service may have other ids, but a barcode is not an id.
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
