import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nameUuid } from '../../../shared/catalogue/uuid.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import { DocumentReader } from '../../release/documents.ts'
import { readManifest } from '../../release/manifest.ts'
import { Release } from '../../release/release.ts'
import { Releases } from '../../release/releases.ts'
import { verifyRelease } from '../../release/verify.ts'
import { importCommons } from '../import-commons.ts'
import { formatExpressionReport } from './expression-report.ts'
import { type ImportExpression, importExpression } from './import-expression.ts'
import {
  augmented,
  CODING,
  fileRecord,
  type GivenGene,
  type GivenSample,
  tableOf,
} from './support/given-files.ts'
import { readMatrixFile } from './support/matrix-file.ts'

let folder = ''
let dataFolder = ''
let minutes = 0
const clock = () => new Date(Date.UTC(2025, 0, 2, 3, minutes++))
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-expression-'))
  dataFolder = join(folder, 'data')
})
afterEach(() => rm(folder, { recursive: true }))

async function give(name: string, content: string | Uint8Array | object): Promise<string> {
  const path = join(folder, name)
  await mkdir(join(path, '..'), { recursive: true })
  const isBytes = typeof content === 'string' || content instanceof Uint8Array
  await writeFile(path, isBytes ? content : JSON.stringify(content))
  return path
}

const GENES = [
  { gene_id: 'ENSG00000000003', symbol: 'AAA', biotype: CODING },
  { gene_id: 'ENSG00000000005', symbol: 'BBB', biotype: CODING },
  { gene_id: 'ENSG00000000007', symbol: 'CCC', biotype: 'lncRNA' },
]

const commons = async (records: readonly object[], options: object = {}) =>
  importCommons({
    sources: [await give(`records-${minutes}.json`, records)],
    dataFolder,
    executor: inlineExecutor,
    clock,
    ...options,
  })

/** Builds a release with one file per sample, and the genes. */
async function setUp(samples: readonly GivenSample[], others: readonly object[] = GENES) {
  if (samples.length > 0) await commons(samples.map(fileRecord))
  if (others.length > 0) await commons(others)
}

const run = (sources: readonly string[], options: Partial<ImportExpression> = {}) =>
  importExpression({
    ...{ sources, dataFolder, executor: inlineExecutor, clock, unit: 'uqfpkm' },
    ...options,
  })

const releases = () => new Releases(dataFolder)
const currentFolder = async () => releases().folder((await releases().current()) ?? '')
const matrixPath = async () => join(await currentFolder(), 'expression.arrow')
const matrix = async () => readMatrixFile(await matrixPath())
const casesOf = async () => (await matrix()).facts.cases

async function issues(): Promise<readonly object[]> {
  const found: object[] = []
  for await (const issue of verifyRelease(await currentFolder())) found.push(issue)
  return found
}

const row = (id: string, value: string): GivenGene => [id, 'X', CODING, value]
const A = 'ENSG00000000003.15'
const B = 'ENSG00000000005.6'
const giveSample = (fileId: string, a: string, b = '0.0000') =>
  give(`${fileId}/${fileId}.augmented_star_gene_counts.tsv`, augmented([row(A, a), row(B, b)]))

const one = { fileId: 'f1', caseId: 'c1', sample: 'S1' }
const two = { fileId: 'f2', caseId: 'c2', sample: 'S2' }

describe('the matrix of files of one sample', () => {
  test('has the exact values of coding genes, by case and gene, and what they are of', async () => {
    await setUp([two, { ...one, access: 'controlled' }])
    await giveSample('f2', '12.3456', '429496.7294')
    await give(
      'f1/any-name.tsv.gz',
      gzipSync(
        augmented([
          ['ENSG00000000007.1', 'CCC', CODING, '3.0000'],
          row(B, '0.0001'),
          ['ENSG00000002586.20_PAR_Y', 'CD99', CODING, '4.0000'],
          ['ENSG00000000009.2', 'DDD', 'lncRNA', '5.0000'],
          row(A, '7.0000'),
        ]),
      ),
    )
    const report = await run([join(folder, 'f1'), join(folder, 'f2')])
    expect(report).toMatchObject({
      dataRelease: 'Data Release 3.0',
      sampleFiles: 2,
      samplesRead: 2,
      genes: 3,
      kind: 'fixed',
      // One gene is not coding according to the release, although its file says so. The other according to its file.
      genesLeftOut: { notCoding: 2, unknown: 0 },
    })
    const { facts, genes, symbols, values } = await matrix()
    expect(facts).toEqual({
      format: 1,
      kind: 'fixed',
      genes: 3,
      cases: [
        { caseId: 'c1', sample: 'S1', fileId: 'f1', access: 'controlled' },
        { caseId: 'c2', sample: 'S2', fileId: 'f2', access: 'open' },
      ],
    })
    expect(genes).toEqual(['ENSG00000000003', 'ENSG00000000005', 'ENSG00000002586_PAR_Y'])
    expect(symbols).toEqual(['AAA', 'BBB', 'CD99'])
    expect(values).toEqual({
      ENSG00000000003: [7, 12.3456],
      ENSG00000000005: [0.0001, 429496.7294],
      ENSG00000002586_PAR_Y: [4, null],
    })
    expect(await issues()).toEqual([])
  })

  test('is the same to the byte in any order of files, and again', async () => {
    await setUp([one, two])
    const paths = [await giveSample('f1', '1.5'), await giveSample('f2', '2.5', '0.3333')]
    await run(paths)
    const bytes = await readFile(await matrixPath())
    await run(paths.toReversed(), { replace: true })
    expect(await readFile(await matrixPath())).toEqual(bytes)
    await run(paths)
    expect(await readFile(await matrixPath())).toEqual(bytes)
  })

  test('is of two columns in older files, whose genes the release must know', async () => {
    await setUp([{ ...one, fileName: 'x.FPKM-UQ.txt' }])
    const path = await give('x.FPKM-UQ.txt', `${A}\t1.25\nENSG00000000011.1\t9\n`)
    expect(await run([path])).toMatchObject({ genes: 1, genesLeftOut: { unknown: 1 } })
    expect((await matrix()).values).toEqual({ ENSG00000000003: [1.25] })
  })

  test('widens to doubles when one value needs it, and back when none does any more', async () => {
    await setUp([one, two])
    const narrow = await giveSample('f1', '0.1', '0.7')
    const wide = await giveSample('f2', '429496.7295', '0.12345')
    expect(await run([narrow])).toMatchObject({ kind: 'fixed' })
    expect(await run([wide])).toMatchObject({ kind: 'double' })
    expect((await matrix()).values).toEqual({
      ENSG00000000003: [0.1, 429496.7295],
      ENSG00000000005: [0.7, 0.12345],
    })
    await giveSample('f2', '1.0000', '2.0000')
    expect(await run([wide])).toMatchObject({ kind: 'fixed' })
    expect((await matrix()).values).toEqual({
      ENSG00000000003: [0.1, 1],
      ENSG00000000005: [0.7, 2],
    })
  })
})

describe('the sample of a case', () => {
  const type = (fileId: string, sample: string, type: string) => ({
    fileId,
    caseId: 'c1',
    sample,
    type,
  })

  test.each([
    [[type('f1', 'S3', 'Metastatic'), type('f2', 'S2', 'Primary Tumor')], 'f2'],
    [[type('f1', 'S1', 'Solid Tissue Normal'), type('f2', 'S2', 'Recurrent Tumor')], 'f2'],
    [[type('f2', 'S1-01B', 'Primary Tumor'), type('f1', 'S1-01A', 'Primary Tumor')], 'f1'],
    [[type('f2', 'S1', 'Primary Tumor'), type('f1', 'S1', 'Primary Tumor')], 'f1'],
  ])(
    'is the primary tumour, else another one, then that of the lowest name: %j',
    async (samples, chosen) => {
      await setUp(samples)
      const paths = [await giveSample('f1', '1'), await giveSample('f2', '2')]
      const report = await run(paths)
      expect(await casesOf()).toEqual([expect.objectContaining({ caseId: 'c1', fileId: chosen })])
      expect(report.samplesLeftOut).toHaveLength(1)
    },
  )

  test('is never of normal tissue', async () => {
    await setUp([type('f1', 'S1', 'Blood Derived Normal'), two])
    const normal = await giveSample('f1', '1')
    await expect(run([normal])).rejects.toThrow('1 samples are normal tissue')
    const report = await run([normal, await giveSample('f2', '2')])
    expect(report.samplesLeftOut).toEqual([
      { reason: 'normal', count: 1, files: [normal], names: [] },
    ])
  })

  test('stays when a later import has one that the rule does not prefer, and goes otherwise', async () => {
    await setUp([
      ...[type('f1', 'S5', 'Primary Tumor'), type('f2', 'S1', 'Metastatic')],
      type('f3', 'S4', 'Primary Tumor'),
    ])
    await run([await giveSample('f1', '1')])
    await expect(run([await giveSample('f2', '2')])).rejects.toThrow(
      '1 samples gave way to the one of their case that is there',
    )
    await run([await giveSample('f3', '3')])
    expect(await casesOf()).toEqual([expect.objectContaining({ sample: 'S4', fileId: 'f3' })])
    expect((await matrix()).values).toMatchObject({ ENSG00000000003: [3] })
  })

  test('is looked up in its case when its file names an aliquot alone', async () => {
    const entity = { entity_submitter_id: 'S9-aliquot', entity_type: 'aliquot', case_id: 'c9' }
    const file = { file_id: 'f9', file_name: 'f9.tsv', associated_entities: [entity] }
    const sample = (aliquot: string, sample_type: string) => ({
      sample_type,
      submitter_id: `${aliquot}-sample`,
      portions: [{ analytes: [{ aliquots: [{ submitter_id: aliquot }] }] }],
    })
    const samples = [sample('S9-aliquot', 'Solid Tissue Normal'), sample('S8', 'Primary Tumor')]
    await commons([{ ...file, cases: [{ case_id: 'c9' }] }])
    await commons([{ case_id: 'c9', samples }])
    await commons(GENES)
    await give('f9/f9.tsv', augmented([row(A, '1')]))
    await expect(run([join(folder, 'f9')])).rejects.toThrow('normal tissue')
  })

  test('is not taken without a case; files and numbers are told', async () => {
    await setUp([one])
    const unknown = await giveSample('f7', '1')
    const report = await run([await giveSample('f1', '1'), unknown])
    expect(report.samplesLeftOut).toEqual([
      { reason: 'noCase', count: 1, files: [unknown], names: [] },
    ])
    expect(formatExpressionReport(report)).toContain(
      `1 samples have no case in the release: ${unknown}\n`,
    )
  })
})

describe('a matrix file', () => {
  const header = (...names: readonly string[]) => ['gene_id', ...names]
  const cases = [
    {
      case_id: 'c1',
      submitter_id: 'TCGA-A1-0001',
      samples: [
        { submitter_id: 'TCGA-A1-0001-01A', sample_type: 'Primary Tumor', sample_id: 's-1' },
        { submitter_id: 'TCGA-A1-0001-11A', sample_type: 'Solid Tissue Normal' },
      ],
    },
    { case_id: 'c2', submitter_id: 'TCGA-A1-0002' },
    { case_id: 'c3', submitter_id: 'OTHER-3' },
  ]

  test('names columns by file, case, sample, or a barcode that begins with one', async () => {
    await setUp([{ fileId: 'f4', caseId: 'c4', sample: 'S4', access: 'controlled' }], GENES)
    await commons(cases)
    const columns = ['F4', 'TCGA-A1-0001-01A-11R-X', 'TCGA-A1-0002-06A', 'c3', 'TCGA-A1-0001-11A']
    const path = await give(
      'm.tsv.gz',
      gzipSync(
        tableOf([header(...columns, 'nobody'), [A, 1, 2, 3, 4, 5, 6], [B, 0.5, 0, 0, 0, 0, 0]]),
      ),
    )
    const report = await run([path])
    expect(report).toMatchObject({ matrixFiles: 1, samplesRead: 4, controlledCases: 1 })
    expect(report.samplesLeftOut).toEqual([
      { reason: 'noCase', count: 1, files: [path], names: ['nobody'] },
      { reason: 'normal', count: 1, files: [path], names: ['TCGA-A1-0001-11A'] },
    ])
    expect(await casesOf()).toEqual([
      { caseId: 'c1', sample: 'TCGA-A1-0001-01A-11R-X', fileId: null, access: 'open' },
      { caseId: 'c2', sample: 'TCGA-A1-0002-06A', fileId: null, access: 'open' },
      { caseId: 'c3', sample: null, fileId: null, access: 'open' },
      { caseId: 'c4', sample: 'S4', fileId: 'f4', access: 'controlled' },
    ])
    expect((await matrix()).values.ENSG00000000003).toEqual([2, 3, 4, 1])
  })

  test('adds to the matrix that is there; --controlled marks what it adds', async () => {
    await setUp([one])
    await commons(cases)
    await run([await giveSample('f1', '1', '2')])
    const path = await give('m.tsv', tableOf([header('c3'), ['ENSG00000000021', 3], [A, 0.25]]))
    // A gene that no source knows is left out.
    expect(await run([path], { controlled: true })).toMatchObject({
      samplesRead: 1,
      samplesKept: 1,
      genesLeftOut: { unknown: 1 },
    })
    expect(await casesOf()).toEqual([
      { caseId: 'c1', sample: 'S1', fileId: 'f1', access: 'open' },
      { caseId: 'c3', sample: null, fileId: null, access: 'controlled' },
    ])
    expect((await matrix()).values).toEqual({
      ENSG00000000003: [1, 0.25],
      ENSG00000000005: [2, null],
    })
    await run([path], { replace: true })
    expect(await casesOf()).toEqual([expect.objectContaining({ caseId: 'c3', access: 'open' })])
  })

  test('has rows that cannot be taken, by line, up to a number', async () => {
    await setUp([one])
    const rows = [
      [A, -1],
      [B, 2],
      [B, 3],
      ['', 4],
      [A, 5, 6],
      [A, 'NaN'],
    ]
    const path = await give('m.tsv', tableOf([header('c1'), [A, 1], ...rows]))
    const report = await run([path])
    expect(report.badRowCount).toBe(5)
    expect(report.badRows.toSorted((a, b) => a.line - b.line)).toEqual([
      { source: path, line: 3, reason: 'column c1: "-1" is no number of 0 or above' },
      {
        source: path,
        line: 5,
        reason: `gene ${B} occurs before with other values; neither row is taken`,
      },
      { source: path, line: 6, reason: 'the row has no gene id' },
      { source: path, line: 7, reason: 'the row has 3 columns, the header 2' },
      { source: path, line: 8, reason: 'the row has no value' },
    ])
    await expect(run([path], { maxErrors: 4 })).rejects.toThrow(
      `more than 4 rows cannot be taken; one is line 5 of "${path}"`,
    )
    await expect(run([path], { strict: true })).rejects.toThrow('more than 0 rows cannot be taken')
  })
})

describe('what is wrong with a file of one sample', () => {
  test('is told by line, and its gene has no value', async () => {
    await setUp([one])
    const bad = augmented([
      ...[row(A, '-1'), row(B, '2'), row(B, '3'), row('ENSG00000000031', 'NA')],
      ...[row('ENSG00000000041', '5'), row('ENSG00000000041', '5')],
    ])
    const path = await give('f1/a.tsv', `${bad}${A}\t5\n`)
    const report = await run([path])
    expect(report.badRows).toEqual([
      {
        source: path,
        line: 7,
        reason: 'column fpkm_uq_unstranded: "-1" is no number of 0 or above',
      },
      {
        source: path,
        line: 9,
        reason: `gene ${B} occurs before with other values; neither row is taken`,
      },
      { source: path, line: 13, reason: 'the row has 2 columns, the header 9' },
    ])
    expect(report.emptyCells).toEqual([
      { source: path, count: 1, columns: [{ name: 'fpkm_uq_unstranded', count: 1 }] },
    ])
    expect((await matrix()).values).toEqual({
      ENSG00000000003: [null],
      ENSG00000000005: [null],
      ENSG00000000031: [null],
      ENSG00000000041: [5],
    })
  })

  const whole = augmented([row(A, '1.2500'), row(B, '2.0000')])
  const zipped = gzipSync(whole)
  const record = (bytes: number) => ({ ...fileRecord(one), file_name: 'a.tsv', file_size: bytes })
  test.each([
    ['cut gzip', 'b.tsv.gz', zipped.subarray(0, -9), 'does not inflate: unexpected end of file'],
    [
      'changed gzip',
      'b.tsv.gz',
      zipped.with(zipped.length - 5, 1),
      'does not inflate: incorrect data check',
    ],
    ['a cut line', 'c.tsv', whole.slice(0, -3), 'ends within a line; it was cut off'],
    [
      'missing lines',
      'a.tsv',
      whole.split('\n').slice(0, -2).join('\n').concat('\n'),
      'its record says',
    ],
  ])('%s is an error, and nothing changes', async (_, name, content, message) => {
    await commons([record(Buffer.byteLength(whole))])
    await commons(GENES)
    const before = await releases().current()
    const path = await give(`f1/${name}`, content)
    await expect(run([path])).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(message),
    })
    expect(await releases().current()).toBe(before)
    expect(await readdir(join(dataFolder, 'incoming'))).toEqual(['commons.lock'])
    expect(
      (await readdir(join(dataFolder, 'releases'))).filter((n) => n.startsWith('.building')),
    ).toEqual([])
  })

  test('a cut matrix is an error, plain and gzip', async () => {
    await setUp([one])
    const text = tableOf([
      ['gene_id', 'c1'],
      [A, 1],
      [B, 22],
    ])
    await expect(run([await give('m.tsv', text.slice(0, -2))])).rejects.toThrow('it was cut off')
    const cut = gzipSync(text).subarray(0, -9)
    await expect(run([await give('m.tsv.gz', cut)])).rejects.toThrow('does not inflate')
  })

  test('too many different lists of genes are refused', async () => {
    const samples = Array.from({ length: 65 }, (_, i) => ({
      fileId: `f${i}`,
      caseId: `c${i}`,
      sample: `S${i}`,
    }))
    await setUp(samples, [])
    for (const [i, { fileId }] of samples.entries()) {
      await give(`all/${fileId}/a.tsv`, augmented([row(`ENSG${i}`, '1')]))
    }
    const all = join(folder, 'all')
    await expect(run([all])).rejects.toThrow('more than 64 different lists of genes')
    await rm(join(all, 'f64'), { recursive: true })
    expect(await run([all])).toMatchObject({ samplesRead: 64, genes: 64 })
  })

  test('genes that are not stored leave nothing, which is an error', async () => {
    await setUp([one], [])
    const path = await give(
      'm.tsv',
      tableOf([
        ['gene_id', 'c1'],
        [A, 1],
      ]),
    )
    await expect(run([path])).rejects.toThrow('import a table of genes first')
  })
})

describe('the release', () => {
  test('shares all other files with the one before, and tells how it was made', async () => {
    await setUp([one])
    const before = await currentFolder()
    const old = await readManifest(before)
    const report = await run([await giveSample('f1', '1')], { release: '7.1' })
    const made = await readManifest(await currentFolder())
    expect(made).toMatchObject({ id: report.releaseId, dataRelease: 'Data Release 7.1' })
    expect(made.datasets).toEqual(old.datasets)
    for (const name of Object.keys(old.files).filter((each) => each !== 'import.json')) {
      expect(made.files[name]).toEqual(old.files[name])
      const [one, other] = [
        await stat(join(before, name)),
        await stat(join(await currentFolder(), name)),
      ]
      expect(other.ino, name).toBe(one.ino)
    }
    expect(JSON.parse(await readFile(join(await currentFolder(), 'import.json'), 'utf8'))).toEqual({
      ...JSON.parse(await readFile(join(before, 'import.json'), 'utf8')),
      documentsOf: '2.0',
    })
    expect(await issues()).toEqual([])
  })

  test('is only told of by a dry run', async () => {
    await setUp([one])
    const before = await readdir(releases().path)
    const report = await run([await giveSample('f1', '1')], { dryRun: true })
    expect(report).toMatchObject({ genes: 2, cases: 1, dataRelease: 'Data Release 3.0' })
    expect(report).not.toHaveProperty('releaseId')
    expect(await readdir(releases().path)).toEqual(before)
  })

  test('needs one before it', async () => {
    await expect(run([await giveSample('f1', '1')])).rejects.toMatchObject({ code: 'bad_input' })
  })

  test('keeps its matrix at the next import of records, which goes on telling spans of releases', async () => {
    await setUp([one])
    await run([await giveSample('f1', '1')])
    const { ino } = await stat(await matrixPath())
    await commons([{ case_id: 'c5' }])
    expect((await stat(await matrixPath())).ino).toBe(ino)
    expect(await issues()).toEqual([])
    const release = await Release.open(await currentFolder())
    const [text = ''] = new DocumentReader(await release.documents('files')).read([0])
    await release.close()
    // There are releases 1.0 to 4.0. The third was made by an import of expression alone.
    expect(JSON.parse(text)).toMatchObject({ file_id: 'f1', data_release: '1.0 - 4.0' })
    await commons([{ case_id: 'c6' }], { replace: true })
    expect((await readManifest(await currentFolder())).files).not.toHaveProperty('expression.arrow')
  })

  test('of log2(x + 1) has the values behind them', async () => {
    await setUp([one])
    const path = await give(
      'x.star_fpkm-uq.tsv',
      tableOf([
        ['Ensembl_ID', 'c1'],
        [A, 3],
        [B, 10.5],
      ]),
    )
    await expect(run([path])).rejects.toThrow('--scale log2p1')
    await run([path], { scale: 'log2p1' })
    // python3 -c 'print(2**3 - 1, 2**10.5 - 1)'
    expect(Object.values((await matrix()).values)).toEqual([[7], [1447.1546878700494]])
  })

  test('has its matrix under the ids that cases are given later, in their order', async () => {
    const made = ['A-1', 'A-2'].map((name) => nameUuid('cases', name, ''))
    await commons([{ submitter_id: 'A-1' }, { submitter_id: 'A-2' }], { as: 'cases' })
    await commons(GENES)
    const path = await give(
      'm.tsv',
      tableOf([
        ['gene_id', 'A-1', 'A-2'],
        [A, 1.5, 2.5],
        [B, 3, 4],
      ]),
    )
    await run([path])
    expect((await casesOf()).map(({ caseId }) => caseId)).toEqual(made.toSorted())
    const given = [
      { case_id: 'fffffff1', submitter_id: 'A-1' },
      { case_id: '00000002', submitter_id: 'A-2' },
    ]
    await commons(given)
    expect((await casesOf()).map(({ caseId }) => caseId)).toEqual(['00000002', 'fffffff1'])
    expect((await matrix()).values).toEqual({
      ENSG00000000003: [2.5, 1.5],
      ENSG00000000005: [4, 3],
    })
    expect((await matrix()).symbols).toEqual(['AAA', 'BBB'])
    expect(await issues()).toEqual([])
    // A second import of the same table finds the cases by their names.
    await run([path])
    expect((await matrix()).values.ENSG00000000003).toEqual([2.5, 1.5])
  })
})
