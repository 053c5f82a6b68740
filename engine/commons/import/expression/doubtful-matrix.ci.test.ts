import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../../shared/executor.ts'
import { Releases } from '../../release/releases.ts'
import { importCommons } from '../import-commons.ts'
import { formatKeptReport, readReport } from '../kept-report.ts'
import { formatExpressionReport } from './expression-report.ts'
import { type ImportExpression, importExpression } from './import-expression.ts'
import { CODING, tableOf } from './support/given-files.ts'
import { readMatrixFile } from './support/matrix-file.ts'

// The same three genes of three samples, in ways in which programs and people write them.

const [A, B, C] = ['ENSG00000000003', 'ENSG00000000005', 'ENSG00000000419']
const SAMPLES = ['TCGA-AA-0001-01A', 'TCGA-AA-0002-01A', 'TCGA-AA-0003-01A']
const [S1 = '', S2 = '', S3 = ''] = SAMPLES
type Row = readonly (string | number)[]
const ROWS: readonly Row[] = [
  [A, 1.5, 2, 3],
  [B, 4, 5, 60.25],
  [C, 7, 100000, 9],
]
const HEADER: Row = ['gene_id', ...SAMPLES]
const VALUES = { [A]: [1.5, 2, 3], [B]: [4, 5, 60.25], [C]: [7, 100_000, 9] }

let folder = ''
let dataFolder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-matrix-'))
  dataFolder = join(folder, 'data')
  const path = join(folder, 'records.json')
  const records = [
    ...[A, B, C].map((gene_id, i) => ({ gene_id, symbol: `GEN${i}A`, biotype: CODING })),
    ...SAMPLES.map((name, i) => ({
      case_id: `c${i + 1}`,
      submitter_id: name.slice(0, 12),
      samples: [{ submitter_id: name, sample_type: 'Primary Tumor' }],
    })),
  ]
  await writeFile(path, JSON.stringify(records))
  await importCommons({ sources: [path], dataFolder, executor: inlineExecutor })
})
afterAll(() => rm(folder, { recursive: true }))

async function imported(content: string | Uint8Array, options: Partial<ImportExpression> = {}) {
  const path = join(folder, 'm.tsv')
  await writeFile(path, content)
  const report = await importExpression({
    ...{ sources: [path], dataFolder, executor: inlineExecutor, unit: 'uqfpkm', replace: true },
    ...options,
  })
  const releases = new Releases(dataFolder)
  const folderNow = releases.folder((await releases.current()) ?? '')
  const { values } = await readMatrixFile(join(folderNow, 'expression.arrow'))
  return { values, report, told: formatExpressionReport(report).replaceAll(path, 'm.tsv') }
}

const quoted = (row: Row) => row.map((cell) => (typeof cell === 'string' ? `"${cell}"` : cell))
const withCommas = (rows: readonly Row[]) => rows.map((cells) => `${cells.join(',')}\n`).join('')
const with1e5 = (text: string) => text.replace('100000', '1e+05')

describe('a matrix has the same values', () => {
  // Rscript -e 'm <- read.delim("m.tsv", check.names = FALSE); write.table(m, sep = "\t")' and so on
  test.each([
    ['as R writes it with row names', with1e5(tableOf([quoted(SAMPLES), ...ROWS.map(quoted)]))],
    [
      'as R writes it with numbers of rows',
      tableOf([quoted(HEADER), ...ROWS.map((row, i) => quoted([String(i + 1), ...row]))]),
    ],
    [
      'as R names its columns',
      tableOf([['gene_id', ...SAMPLES.map((name) => name.replaceAll('-', '.'))], ...ROWS]),
    ],
    ['as R writes CSV', with1e5(withCommas([quoted(HEADER), ...ROWS.map(quoted)]))],
    ['as pandas writes it', withCommas([['', ...HEADER], ...ROWS.map((row, i) => [i, ...row])])],
    ['with all cells quoted', tableOf([HEADER, ...ROWS].map((row) => quoted(row.map(String))))],
    [
      'with CRLF and a byte order mark',
      `\ufeff${tableOf([HEADER, ...ROWS]).replaceAll('\n', '\r\n')}`,
    ],
    ['with CR', tableOf([HEADER, ...ROWS]).replaceAll('\n', '\r')],
    ['with gzip of two members', twoMembers()],
    ['with blanks around cells', tableOf([HEADER, ...ROWS].map((row) => row.map((c) => ` ${c} `)))],
    ['with tabs at the ends of lines', tableOf([HEADER, ...ROWS].map((row) => [...row, '']))],
    [
      'with its columns in another order',
      tableOf([HEADER, ...ROWS].map((row) => row.toReversed())),
    ],
    ['with its header again', tableOf([HEADER, ...ROWS.slice(0, 1), HEADER, ...ROWS.slice(1)])],
    ['with an equal row again', tableOf([HEADER, ...ROWS, ...ROWS.slice(0, 1)])],
    ['with an equal column again', tableOf([HEADER, ...ROWS].map((row) => [...row, row[1] ?? '']))],
    [
      'with quotes and commas in symbols',
      withCommas([
        ['gene_id', 'symbol', ...SAMPLES],
        ...ROWS.map(([id, ...values]) => [id ?? '', '"a, ""b"""', ...values]),
      ]),
    ],
  ])('%s', async (_, content) => {
    const { values, report } = await imported(content)
    expect(values).toEqual(VALUES)
    expect(report).toMatchObject({ samplesLeftOut: [], badRowCount: 0, doubts: [] })
  })
})

function twoMembers(): Buffer {
  const [header, ...rows] = [HEADER, ...ROWS]
  return Buffer.concat([gzipSync(tableOf([header ?? []])), gzipSync(tableOf(rows))])
}

describe('what a matrix does not say is told', () => {
  const changed = (cell: string | number) =>
    tableOf([HEADER, ...ROWS.slice(0, 2), [C, cell, 100000, 9]])

  test.each(['NA', 'NaN', 'null', '', '"NA"'])('%j is no value', async (cell) => {
    const { values, told } = await imported(changed(cell), { strict: true })
    expect(values).toEqual({ ...VALUES, [C]: [null, 100_000, 9] })
    expect(told).toContain(`m.tsv: 1 cells are empty, in columns ${S1} (1)`)
  })

  test.each(['1,234', '-1', 'Inf', '>89', '"1,234"'])('%j is not understood', async (cell) => {
    const { values, told } = await imported(changed(cell))
    expect(values).toEqual({ ...VALUES, [C]: [null, 100_000, 9] })
    const shown = cell.replaceAll('"', '')
    expect(told).toContain(`m.tsv:4: column ${S1}: "${shown}" is no number of 0 or above`)
    await expect(imported(changed(cell), { strict: true })).rejects.toThrow(
      'more than 0 rows cannot be taken',
    )
  })

  test.each([[[A, 9, 9, 9]], [[`${A}.7`, 9, 9, 9]]])(
    'another row of a gene, %j, in any order',
    async (row) => {
      for (const rows of [
        [...ROWS, row],
        [row, ...ROWS],
      ]) {
        const { values, report } = await imported(tableOf([HEADER, ...rows]))
        expect(values).toEqual({ [B]: VALUES[B], [C]: VALUES[C] })
        expect(report.badRows).toMatchObject([
          {
            reason: expect.stringContaining(
              'occurs before with other values; neither row is taken',
            ),
          },
        ])
      }
    },
  )

  test('a row whose quoted cell continues in the next line', async () => {
    const named = (symbol: string, [id = '', ...values]: Row) => [id, symbol, ...values]
    const rows = ROWS.map((row, i) => named(i === 1 ? '"TSPAN6\nT245"' : `"S${i}"`, row))
    const { values, report } = await imported(tableOf([named('symbol', HEADER), ...rows]))
    expect(values).toEqual({ [A]: VALUES[A], [C]: VALUES[C] })
    expect(report.badRows).toMatchObject([
      { line: 3, reason: expect.stringContaining('continues in the next line') },
      { line: 4, reason: 'the row has 4 columns, the header 5' },
    ])
  })

  test('columns that are no samples, and rows that are no genes, by their names', async () => {
    const rows = [...ROWS.map((row) => [...row, 1200]), ['1-Mar', 1, 2, 3, 4], ['TP53', 1, 2, 3, 4]]
    const { told } = await imported(tableOf([[...HEADER, 'Length'], ...rows]))
    expect(told).toContain('1 samples have no case in the release: m.tsv (Length)')
    expect(told).toContain('such as 1-Mar, TP53')
    expect(told).toContain('a spreadsheet made dates of the symbols 1-Mar')
  })
})

describe('a matrix is refused', () => {
  test.each([
    [
      'with two different columns of a name',
      tableOf([[...HEADER, S1], ...ROWS.map((row) => [...row, 5])]),
      `column ${S1} occurs twice in line 1, as columns 2 and 5, which differ in line 2`,
    ],
    [
      'whose header lacks a name',
      tableOf([HEADER.slice(0, 3), ...ROWS]),
      'has 3 names in line 1 and 4 cells in rows; "gene_id" is no sample of the release',
    ],
    [
      'with tabs at the ends of its rows alone',
      tableOf([HEADER, ...ROWS.map((row) => [...row, ''])]),
      'has 4 names in line 1 and 5 cells in rows',
    ],
    [
      'with another one behind it',
      tableOf([HEADER, ...ROWS.slice(0, 2), ['gene_id', S3, S2, S1], ...ROWS.slice(2)]),
      'has another header in line 4; give each table as a file of its own',
    ],
    [
      'with no value in a column',
      tableOf([HEADER, ...ROWS.map(([id = '', , ...rest]) => [id, 'NA', ...rest])]),
      `has no value in column ${S1}`,
    ],
    [
      'with commas in its numbers',
      tableOf([HEADER, [A, '1,5', '2,5', '3,5'], [B, '4,5', '5,5', '6,5']]),
      `its column ${S1} has "1,5" in line 2, where a number of 0 or above like 1234.5 is expected`,
    ],
    ['in UTF-16', Buffer.from(`\ufeff${tableOf([HEADER, ...ROWS])}`, 'utf16le'), 'text in UTF-16'],
    [
      'in Latin-1',
      Buffer.from(tableOf([[...HEADER, 'Stück'], ...ROWS.map((row) => [...row, 5])]), 'latin1'),
      'it is not UTF-8',
    ],
    [
      'without a known sample',
      tableOf([['gene_id', ...SAMPLES.map((name) => `X${name}`)], ...ROWS]),
      '3 samples have no case in the release, such as XTCGA-AA-0001-01A',
    ],
  ])('%s', async (_, content, message) => {
    await expect(imported(content)).rejects.toThrow(message)
  })
})

describe('values that are doubtful as FPKM-UQ', () => {
  const genes = Array.from({ length: 400 }, (_, i) => `ENSG${String(i).padStart(11, '0')}`)
  const tableOfValues = (value: (gene: number, sample: number) => number) =>
    tableOf([
      ['gene_id', 'gene_type', ...SAMPLES],
      ...genes.map((gene, i) => [gene, CODING, ...SAMPLES.map((_, sample) => value(i, sample))]),
    ])

  test.each([
    ['counts', tableOfValues((gene, sample) => gene * 3 + sample), {}, 'as counts are'],
    ['logarithms', tableOfValues((gene) => gene / 30), {}, 'as if they were logarithms'],
    ['TPM', tableOfValues((gene) => (gene === 0 ? 1_000_000 - 399 * 20.5 : 20.5)), {}, 'as TPM do'],
    [
      'no logarithms',
      tableOfValues((gene, sample) => gene + sample / 10),
      { scale: 'log2p1' },
      'as if they were no logarithms',
    ],
  ] as const)('are told: %s', async (_, content, options, doubt) => {
    const { report } = await imported(content, options)
    expect(report.doubts).toEqual([expect.stringContaining(doubt)])
    await expect(imported(content, { ...options, strict: true })).rejects.toThrow(doubt)
  })

  test('are not told of values as they should be', async () => {
    const content = tableOfValues((gene, sample) => gene * 3.25 + sample)
    expect((await imported(content, { strict: true })).report.doubts).toEqual([])
  })
})

test('a release keeps the report of its expression, also when other records are imported', async () => {
  const { releaseId, ...report } = (await imported(tableOf([HEADER, ...ROWS]))).report
  const kept = await readReport(dataFolder)
  expect(kept).toMatchObject({ dataRelease: 'Data Release 1.0', expression: report })
  expect(formatKeptReport(kept)).toContain(formatExpressionReport(report))

  const path = join(folder, 'more.json')
  await writeFile(path, JSON.stringify([{ case_id: 'c4', submitter_id: 'TCGA-AA-0004' }]))
  const { dataRelease } = await importCommons({
    sources: [path],
    dataFolder,
    executor: inlineExecutor,
  })
  expect(await readReport(dataFolder)).toMatchObject({ dataRelease, expression: report })
})
