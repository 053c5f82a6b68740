import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { sharedState } from '../../shared-state.ts'
import { EngineError } from '../errors.ts'
import type { ColumnReport } from '../input/column-tally.ts'
import { type TableContent, tableContent } from '../input/table-file.ts'
import { genesOf, readGenes } from './gene-table.ts'
import { GeneModel, type GeneRow } from './genes.ts'

async function* inChunks(bytes: Uint8Array, size = 11): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function collect(genes: AsyncIterable<GeneRow>): Promise<GeneRow[]> {
  const collected: GeneRow[] = []
  for await (const gene of genes) collected.push(gene)
  return collected
}
const parseGenes = (content: TableContent, source: string) => genesOf(tableContent(content), source)
const parse = (text: string) => collect(parseGenes(() => inChunks(Buffer.from(text)), 'g.tsv'))

const GENCODE = [
  'gene_id\tgene_id_version\tsymbol\tbiotype\tchromosome\tstart\tend\tstrand\thgnc_id',
  'ENSG00000182378\tENSG00000182378.14\tPLCXD1\tprotein_coding\tchrX\t276322\t303356\t1\tHGNC:1',
  'ENSG00000182378\tENSG00000182378.14_PAR_Y\tPLCXD1\tprotein_coding\tchrY\t276322\t303356\t1\t',
  'ENSG00000227232\tENSG00000227232.5\tWASH7P\tpseudogene\tchr1\t14404\t29570\t-1\t',
].join('\n')

const PLCXD1: GeneRow = {
  geneId: 'ENSG00000182378',
  symbol: 'PLCXD1',
  name: null,
  biotype: 'protein_coding',
  chromosome: 'chrX',
  start: 276322,
  end: 303356,
  strand: 1,
}

test('a GENCODE table is read, and the PAR copy keeps its suffix', async () => {
  const genes = await parse(GENCODE)
  expect(genes).toHaveLength(3)
  expect(genes[0]).toEqual(PLCXD1)
  expect(genes[1]).toEqual({
    ...PLCXD1,
    geneId: 'ENSG00000182378.14_PAR_Y',
    chromosome: 'chrY',
  })
  expect(genes[2]).toMatchObject({ symbol: 'WASH7P', strand: -1 })
})

test('an annotables table is read; a second Entrez id of the same gene adds nothing', async () => {
  const genes = await parse(
    [
      'ensgene\tentrez\tsymbol\tchr\tstart\tend\tstrand\tbiotype\tdescription',
      'ENSG00000004866\t7982\tST7\t7\t116953238\t117230176\t1\tprotein_coding\tsuppression',
      'ENSG00000004866\t93655\tST7\t7\t116953238\t117230176\t1\tprotein_coding\tsuppression',
      'ENSG00000999999\t1\t\tMT\t5\t5\t-1\t\t',
    ].join('\r\n'),
  )
  expect(genes).toMatchObject([
    { geneId: 'ENSG00000004866', name: 'suppression', chromosome: '7' },
    { geneId: 'ENSG00000999999', symbol: '', name: null, biotype: null, start: 5, end: 5 },
  ])
})

test('ids lose their versions, and dates in place of symbols are reported', async () => {
  const text = [
    'gene_id\tsymbol\tchr\tstart\tend',
    'ensg00000146648.19\tEGFR\t7\t55019017\t55211628',
    'ENSG00000002586.20_PAR_Y\tCD99\tY\t2691295\t2741309',
    // Excel's form of MARCHF1.
    'ENSG00000145416\t1-Mar\t4\t163524298\t164384050',
  ].join('\n')
  const found: ColumnReport[] = []
  const rows = tableContent(() => inChunks(Buffer.from(text)))
  const genes = await collect(genesOf(rows, 'g.tsv', (columns) => found.push(...columns)))
  expect(genes.map(({ geneId, symbol }) => [geneId, symbol])).toEqual([
    ['ENSG00000146648', 'EGFR'],
    ['ENSG00000002586.20_PAR_Y', 'CD99'],
    ['ENSG00000145416', '1-Mar'],
  ])
  expect(found).toMatchObject([
    { changed: [{ name: 'written without the version, or in upper case', count: 1 }] },
    {
      changed: [
        { name: 'a date such as 1-Mar, which a spreadsheet has made of a symbol', count: 1 },
      ],
    },
    ...[{ changed: [] }, { changed: [] }, { changed: [] }],
  ])
  const twice = text.replace('ENSG00000145416', 'ENSG00000146648.18')
  await expect(parse(twice)).rejects.toThrow('occurs before with another place or version')
})

test('our own table is read, with its columns in any order', async () => {
  const [gene] = await parse(
    [
      'gene_strand\tgene_end\tgene_start\tgene_chromosome\tbiotype\tname\tsymbol\tgene_id',
      '-\t2147483647\t1\tHLA-A*01:01\tx\tsome name\tA\tG1',
    ].join('\n'),
  )
  expect(gene).toEqual({
    geneId: 'G1',
    symbol: 'A',
    name: 'some name',
    biotype: 'x',
    chromosome: 'HLA-A*01:01',
    start: 1,
    end: 2147483647,
    strand: -1,
  })
})

test('empty lines are passed over, and lines are counted with them', async () => {
  const lines = [
    '',
    'gene_id\tsymbol\tchr\tstart\tend',
    '',
    'G1\tA\t1\t2\t3',
    '',
    '',
    'G2\tB\t1\tx\t3',
  ]
  expect(await parse(lines.slice(0, -1).join('\r\n'))).toMatchObject([{ geneId: 'G1' }])
  await expect(parse(lines.join('\n'))).rejects.toThrow('line 7, column start')
})

// R writes NA where it has no value: write.table(genes, sep = "\t", quote = FALSE, row.names = FALSE).
test('words for a missing value are none; a symbol stays as it is', async () => {
  const header = 'gene_id\tgene_id_version\tsymbol\tdescription\tbiotype\tchr\tstart\tend\tstrand'
  const rows = ['G1\tNA\tNA\tNA\tNA\t1\t2\t3\tNA', "G2\tNA\tB\t--\t'--\t1\t2\t3\t1"]
  const none = { name: null, biotype: null }
  expect(await parse([header, ...rows].join('\n'))).toMatchObject([
    { geneId: 'G1', symbol: 'NA', strand: null, ...none },
    { geneId: 'G2', symbol: 'B', strand: 1, ...none },
  ])
  // A second location of the same gene needs a version in its id.
  const again = rows[0]!.replace('\t1\t2\t', '\t2\t2\t')
  await expect(parse([header, rows[0], again].join('\n'))).rejects.toThrow('occurs before')
  const nowhere = rows[0]!.replace('\t1\t2\t', '\tNA\t2\t')
  await expect(parse([header, nowhere].join('\n'))).rejects.toThrow('column chr: "NA" is empty')
})

// The rows are as R's write.table(genes, sep = "\t", row.names = FALSE) writes them.
test('a table whose header is quoted has its texts in quotes', async () => {
  const lines = [
    '"gene_id"\t"symbol"\t"description"\t"chromosome"\t"start"\t"end"',
    '"ENSG00000000003"\t"TSPAN6"\t"5"" end\tof X"\t"X"\t100627108\t100639991',
  ]
  expect(await parse(lines.join('\n'))).toMatchObject([
    { geneId: 'ENSG00000000003', symbol: 'TSPAN6', name: '5" end\tof X', chromosome: 'X' },
  ])
})

test('numbers as R and pandas write them, quotes that a row shows, a column twice', async () => {
  const lines = [
    'gene_id\tsymbol\tname\tchromosome\tstart\tend\tsymbol',
    'G1\tA\t"5"" end\tof X"\tX\t1e+05\t100512.0\tA',
  ]
  expect(await parse(lines.join('\n'))).toMatchObject([
    { symbol: 'A', name: '5" end\tof X', start: 100_000, end: 100_512 },
  ])
  expect(await parse(lines.join('\n').replace('"5"" end\tof X"', '"5" end"'))).toMatchObject([
    { name: '"5" end"' },
  ])
})

test('a table in UTF-16 and an archive are named', async () => {
  const utf16 = [Buffer.from(`\ufeff${GENCODE}`, 'utf16le')]
  const content = async function* () {
    yield* utf16
  }
  await expect(collect(parseGenes(content, 'x'))).rejects.toMatchObject({
    code: 'bad_input',
    message: 'gene table "x": it is text in UTF-16; save it as UTF-8',
  })
  await expect(parse('PK\x03\x04')).rejects.toThrow('it is a ZIP archive')
})

const HEADER = 'gene_id\tgene_id_version\tsymbol\tchromosome\tstart\tend\tstrand'
test.each([
  [
    'G1\tG1.1\tA\tchr1\tx\t2\t1',
    'line 2, column start: "x" is no whole number from 1 to 2147483647',
  ],
  ['G1\tG1.1\tA\tchr1\t0\t2\t1', 'column start: "0"'],
  ['G1\tG1.1\tA\tchr1\t1\t1.5\t1', 'column end: "1.5"'],
  ['G1\tG1.1\tA\tchr1\t1\t22,280\t1', 'column end: "22,280"'],
  ['G1\tG1.1\tA\tchr1\t1\t2147483648\t1', 'column end: "2147483648"'],
  ['G1\tG1.1\tA\tchr1\t3\t2\t1', 'column end: "2" is before the start 3'],
  ['G1\tG1.1\tA\tchr1\t1\t2\tplus', 'column strand: "plus"'],
  ['G1\tG1.1\tA\tchr1\t1\t2\tconstructor', 'column strand: "constructor"'],
  ['G1\tG1.1\tA\t\t1\t2\t1', 'column chromosome: "" is empty'],
  ['\tG1.1\tA\tchr1\t1\t2\t1', 'column gene_id: "" is empty'],
  ['G1\tG1.1\tA\tchr1\t1\t2', 'line 2 has 6 columns, the first line 7'],
  [
    'G1\tG1.1\tA\tchr1\t1\t2\t1\nG1\t\tA\tchr2\t1\t2\t1',
    'line 3, column gene_id: "G1" occurs before with another place',
  ],
  [
    'G1\tG1.1\tA\tchr1\t1\t2\t1\nG1\tG1\tA\tchr2\t1\t2\t1',
    'line 3, column gene_id_version: "G1" occurs before',
  ],
])('a bad row is refused by line and column (%#)', async (rows, message) => {
  const error = await parse(`${HEADER}\n${rows}\n`).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(EngineError)
  expect(error).toMatchObject({ code: 'bad_input', message: expect.stringContaining(message) })
  expect(error).toMatchObject({ message: expect.stringContaining('gene table "g.tsv"') })
})

test.each([
  ['', 'is empty'],
  ['symbol\tchr\tstart\tend\n', 'line 1 has no column for the id; name one gene_id or ensgene'],
  [
    'gene_id\tsymbol\tchr\tstart\tgene_start\tend\n',
    'columns "start" and "gene_start" say the same',
  ],
  [
    'gene_id\tsymbol\tsymbol\tchr\tstart\tend\nG1\tA\tA\t1\t2\t3\nG2\tB\tC\t1\t2\t3\n',
    'column symbol occurs twice in line 1, as columns 2 and 3, which differ in line 3; keep one',
  ],
])('a bad header is refused (%j)', async (text, message) => {
  await expect(parse(text)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(message),
  })
})

test('gzip is reported by its bytes: plain, one member, several members, one byte at a time', async () => {
  const whole = Buffer.from(GENCODE)
  const members = [gzipSync(whole.subarray(0, 100)), gzipSync(whole.subarray(100))]
  for (const bytes of [whole, gzipSync(whole), Buffer.concat(members)]) {
    const genes = await collect(parseGenes(() => inChunks(bytes, 1), 'x'))
    expect(genes.map(({ symbol }) => symbol)).toEqual(['PLCXD1', 'PLCXD1', 'WASH7P'])
  }
})

test('a gzip that is cut off or damaged is refused as bad input', async () => {
  const zipped = gzipSync(GENCODE)
  const damaged = Buffer.from(zipped)
  damaged.fill(0xff, 30, 60)
  for (const bytes of [zipped.subarray(0, 100), damaged]) {
    await expect(collect(parseGenes(() => inChunks(bytes), 'x.gz'))).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('gene table "x.gz": does not inflate'),
    })
  }
})

test('a reader that stops early, and a bad row, end the source', async () => {
  for (const bytes of [Buffer.from(GENCODE), gzipSync(GENCODE)]) {
    let ended = false
    const source = async function* () {
      try {
        yield* inChunks(bytes)
        // The input is longer than the streams in between read ahead.
        for (;;) yield new Uint8Array(65536)
      } finally {
        ended = true
      }
    }
    for await (const gene of parseGenes(source, 'x')) {
      expect(gene.symbol).toBe('PLCXD1')
      break
    }
    await expect.poll(() => ended).toBe(true)
  }
})

test('a fault of the source comes out as it is, also from behind gzip', async () => {
  for (const head of [Buffer.from('gene_id'), gzipSync(GENCODE).subarray(0, 50)]) {
    const source = async function* () {
      yield head
      throw new Error('disk on fire')
    }
    await expect(collect(parseGenes(source, 'x'))).rejects.toThrow('disk on fire')
  }
})

test('a table on disk is read whatever its name, and its bytes are counted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-genes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'named.tsv')
  writeFileSync(path, gzipSync(GENCODE))
  let bytes = 0
  const onRead = (count: number) => {
    bytes += count
  }
  expect(await collect(readGenes(path, { onRead }))).toHaveLength(3)
  expect(bytes).toBe(gzipSync(GENCODE).length)
  await expect(collect(readGenes(join(folder, 'none')))).rejects.toMatchObject({
    code: 'not_found',
  })
  const signal = AbortSignal.abort()
  await expect(collect(readGenes(path, { signal }))).rejects.toThrow('aborted')
})

const shared = publicData('data/genes')

// zcat gencode.v36.genes.tsv.gz | tail -n +2 | wc -l -> 60660; grep -c PAR_Y -> 44
test.skipIf(!existsSync(shared))(
  'the GENCODE 36 table has 60,660 genes, 44 PAR copies',
  async () => {
    const genes = await collect(readGenes(join(shared, 'gencode.v36.genes.tsv.gz')))
    expect(new Set(genes.map(({ geneId }) => geneId)).size).toBe(60_660)
    expect(genes.filter(({ geneId }) => geneId.endsWith('_PAR_Y'))).toHaveLength(44)
    const folder = mkdtempSync(join(tmpdir(), 'casemill-genes-'))
    const state = sharedState({ dataFolder: folder })
    const model = new GeneModel(state)
    expect(await model.replaceAll(genes)).toBe(60_660)
    const found = await model.bySymbols(['TP53', 'PLCXD1'])
    expect(found.get('TP53')).toMatchObject([{ chromosome: 'chr17', start: 7661779 }])
    expect(found.get('PLCXD1')?.map(({ chromosome }) => chromosome)).toEqual(['chrX', 'chrY'])
    await state.close()
    rmSync(folder, { recursive: true })
  },
)

// zcat ensembl….tsv.gz | tail -n +2 | cut -f1 | sort -u | wc -l -> 20024 of 20523 rows
const ensembl = join(shared, 'ensembl.grch38.protein_coding.descriptions.tsv.gz')
test.skipIf(!existsSync(shared))('the Ensembl table has 20,024 genes', async () => {
  expect(await collect(readGenes(ensembl))).toHaveLength(20_024)
})
