import { basename } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Documents,
  type DocumentsOptions,
  documentsOf,
  type GivenSource,
  json,
} from '../../../test/commons/import/support/documents.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import { objectsIn } from '../../shared/input/json-value.ts'

// Tables of more than a mebibyte, whose rows are read in pieces.

/** Copies the input and output of jobs, as passing them to another thread does. */
function copying() {
  const jobs: string[] = []
  const executor: Executor = {
    parallelism: 2,
    async run(job, input, options) {
      jobs.push(job.name)
      return structuredClone(await inlineExecutor.run(job, structuredClone(input), options))
    },
  }
  return { executor, jobs }
}

async function readBothWays(sources: readonly GivenSource[], options: DocumentsOptions = {}) {
  const { executor, jobs } = copying()
  const apart = await documentsOf(sources, { maxErrors: 100, ...options, executor })
  const inOneGo = await documentsOf(sources, { maxErrors: 100, ...options })
  expect(apart.texts).toEqual(inOneGo.texts)
  expect(apart.versions).toEqual(inOneGo.versions)
  const told = ({ intake: { reports, badRows } }: Documents) =>
    [...reports, ...badRows].map((each) => ({ ...each, source: basename(each.source) }))
  expect(told(apart)).toEqual(told(inOneGo))
  expect(apart.assembled.datasets).toEqual(inOneGo.assembled.datasets)
  return { ...apart, jobs }
}

const ROWS = 700
const PLACE = ['Hugo_Symbol', 'NCBI_Build', 'Chromosome', 'Start_Position', 'End_Position']
const MAF = [...PLACE, 'Reference_Allele', 'Tumor_Seq_Allele2', 'Tumor_Sample_Barcode', 'note']
/** Makes rows so long that a few of them fill many pieces. */
const NOTE = 'x'.repeat(5000)
const mutation = (row: number) => {
  const place = 1000 + row
  const name = `TCGA-AA-${String(row % 50).padStart(4, '0')}-01A`
  return ['TP53', 'GRCh38', 'chr17', place, place, 'C', 'T', name, NOTE].join('\t')
}
const rows = (count = ROWS) => Array.from({ length: count }, (_, row) => mutation(row))
const maf = (lines: readonly string[], header = MAF): GivenSource => ({
  name: 'a.maf',
  content: `#version 2.4\n${header.join('\t')}\n${lines.join('\n')}\n`,
})

test('rows that are read in pieces are those of the table, each reported by its line', async () => {
  const lines = rows()
  lines[10] = mutation(10).replace('chr17', '')
  lines[300] = mutation(300).replaceAll('1300', 'x')
  lines[500] = mutation(500).replace('\tC\tT\t', '\tC\tC\t')
  lines[600] = mutation(600).replace(NOTE, `${NOTE}\tone more`)
  lines[650] = MAF.join('\t')
  const { documents, intake, jobs } = await readBothWays([maf(lines)])
  expect(jobs.filter((name) => name === 'import.piece').length).toBeGreaterThan(1)
  // Line 1 is a comment, line 2 the header.
  expect(intake.badRows.map(({ line }) => line)).toEqual([13, 303, 503, 603])
  expect(intake.reports).toMatchObject([
    { rows: ROWS - 1, badRows: 4, repeatedHeaders: 1, records: { ssm_occurrences: ROWS - 5 } },
  ])
  const [start] = intake.reports[0]?.columns.filter(({ misunderstood }) => misunderstood > 0) ?? []
  expect(start).toMatchObject({ name: 'Start_Position', examples: [{ line: 303, cell: 'x' }] })
  expect(documents.ssm_occurrences).toHaveLength(ROWS - 5)
  expect(documents.cases).toHaveLength(50)
})

test('the last row of a file wins in pieces as well, whether or not it names a case', async () => {
  const uuid = (digit: string, row: number) =>
    `${digit.repeat(8)}-1111-4111-8111-${String(row).padStart(12, '0')}`
  const file = (row: number, size: number, caseId = '') =>
    [uuid('1', row), `${row}.bam`, 'a'.repeat(32), size, 'live', caseId, NOTE].join('\t')
  const lines = Array.from({ length: ROWS }, (_, row) => file(row, 5))
  // Of pairs in one piece, the first or the second has a case. The last file is in two pieces.
  lines[601] = file(600, 6, uuid('2', 0))
  lines[602] = file(603, 5, uuid('2', 0))
  lines[603] = file(603, 6)
  lines[604] = file(100, 6)
  const header = ['id', 'filename', 'md5', 'size', 'state', 'case_id', 'x_note'].join('\t')
  const content = `${header}\n${lines.join('\n')}\n`
  const { documents, jobs } = await readBothWays([{ name: 'manifest.txt', content }])
  expect(jobs.length).toBeGreaterThan(1)
  const later = documents.files?.filter(({ file_size: size }) => size === 6)
  expect(later?.map((each) => each.file_name)).toEqual(['100.bam', '600.bam', '603.bam'])
  expect(later?.map(({ cases }) => objectsIn(cases).length)).toEqual([0, 1, 1])
})

test('names of cases are found by all pieces', async () => {
  const id = '11111111-1111-4111-8111-111111111111'
  const cases = json([{ case_id: id, submitter_id: 'TCGA-AA-0007' }])
  const { documents, intake } = await readBothWays([maf(rows()), cases])
  expect(intake.reports.at(-1)?.joins).toMatchObject({ joined: ROWS / 50, unjoined: ROWS * 0.98 })
  const ofCase = documents.ssm_occurrences?.filter((one) => JSON.stringify(one).includes(id))
  expect(ofCase).toHaveLength(ROWS / 50)
})

test('a table of other columns that follows is read by its own header', async () => {
  const [last, ...others] = [...MAF].reverse()
  const header = [last, ...others.reverse()].join('\t')
  const moved = rows().map((line, row) => {
    const cells = line.split('\t')
    const start = String(1000 + row)
    return [cells.at(-1), ...cells.slice(0, -1)].join('\t').replaceAll(start, `9${start}`)
  })
  const { documents, jobs, intake } = await readBothWays([maf([...rows(), header, ...moved])])
  expect(jobs.length).toBeGreaterThan(1)
  expect(intake.reports).toMatchObject([{ rows: 2 * ROWS, repeatedHeaders: 1, badRows: 0 }])
  expect(documents.ssm_occurrences).toHaveLength(2 * ROWS)
})

test.each([
  // In a table without quoting, "chr18" with its quotes is not a chromosome, so its row is rejected.
  ['that belong to a text', 'note "', ROWS - 1, 1],
  ['that a cell needs', '"a ""note"""', ROWS, 0],
])('a late cell with quotes %s', async (_, cell, count, badRows) => {
  const lines = rows()
  lines[500] = mutation(500).replace(NOTE, cell)
  lines[690] = mutation(690).replace('chr17', '"chr18"')
  const { documents, jobs, intake } = await readBothWays([maf(lines)])
  expect(jobs.length).toBeGreaterThan(0)
  expect(documents.ssm_occurrences).toHaveLength(count)
  expect(intake.reports).toMatchObject([{ badRows }])
  const places = new Set(documents.ssms?.map((one) => one.chromosome))
  expect(places).toEqual(new Set(badRows === 0 ? ['chr17', 'chr18'] : ['chr17']))
})

test('errors are those of the first line that has one', async () => {
  const { executor } = copying()
  const failing = (lines: readonly (string | Buffer)[], options = {}) =>
    documentsOf(
      [
        {
          name: 'a.maf',
          content: Buffer.concat(
            [MAF.join('\t'), ...lines].flatMap((line) => [Buffer.from(line), Buffer.from('\n')]),
          ),
        },
      ],
      { executor, ...options },
    )
  const bad = (row: number) => mutation(row).replace('chr17', '')
  const lines: (string | Buffer)[] = rows()
  lines[600] = Buffer.from([0x61, 0xff])
  await expect(failing(lines)).rejects.toThrow('line 602 is not UTF-8')
  lines[550] = 'x'.repeat(5 << 20)
  await expect(failing(lines)).rejects.toThrow('line 552 is longer than 4194304 bytes')
  for (const row of [5, 300, 301, 500]) lines[row] = bad(row)
  await expect(failing(lines, { maxErrors: 3 })).rejects.toThrow(
    /more than 3 rows cannot be taken; the last is line 502 of/,
  )
  await expect(failing(lines, { maxErrors: 2 })).rejects.toThrow(/the last is line 303 of/)
})
