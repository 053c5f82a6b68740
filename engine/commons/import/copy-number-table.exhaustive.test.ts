import { expect, test } from 'vitest'
import {
  documentsOf,
  type GivenSource,
  json,
  tsv,
} from '../../../test/commons/import/support/documents.ts'
import { categoryOfCopies, categoryOfLog2Ratio } from './copy-number-change.ts'

const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const F1 = 'f1000000-0000-4000-8000-000000000001'
const A1 = 'a1000000-0000-4000-8000-000000000001'
const A2 = 'a2000000-0000-4000-8000-000000000002'
const BARCODE = 'TCGA-AA-0001-01A-11D-A001-01'

const COPIES = [
  ...['gene_id', 'gene_name', 'chromosome', 'start', 'end'],
  ...['copy_number', 'min_copy_number', 'max_copy_number'],
]
/** Returns the row of a gene with a number of copies. */
const copies = (id: string, number: string) => [id, 'G', 'chr7', '100', '250', number, '1', '9']
const ASCAT = 'x.ascat3.gene_level_copy_number.v36.tsv'
const record = (file: object = {}) =>
  json([{ file_id: F1, file_name: ASCAT, cases: [{ case_id: C1 }], ...file }], 'files.json')
const MODEL = [
  ...[['gene_id', 'symbol', 'biotype', 'chromosome', 'start', 'end']],
  ...[['ENSG1', 'A', 'protein_coding', 'chr3', '5', '9']],
  ...[['ENSG2', 'TWICE', 'protein_coding', 'chr3', '5', '9']],
  ...[['ENSG3', 'TWICE', 'protein_coding', 'chrX', '5', '9']],
]
const MADE = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)

test('copies of genes in a sample are changes and occurrences of the case of the file', async () => {
  const table = tsv(ASCAT, COPIES, copies('ENSG00000000001.5', '1'))
  const { documents } = await documentsOf([table, record()])
  expect(documents.cnvs).toEqual([
    {
      cnv_id: MADE,
      chromosome: '7',
      start_position: 100,
      end_position: 250,
      cnv_change: 'Loss',
      cnv_change_5_category: 'Loss',
      gene_level_cn: true,
      agency_build: 'GRCh38',
      consequence: [{ consequence_id: MADE, gene: { gene_id: 'ENSG00000000001', symbol: 'G' } }],
    },
  ])
  expect(documents.cnv_occurrences).toEqual([
    {
      cnv_occurrence_id: MADE,
      cnv: { cnv_id: documents.cnvs?.[0]?.cnv_id },
      case: {
        case_id: C1,
        observation: [
          {
            observation_id: MADE,
            src_file_id: F1,
            variant_calling: { variant_caller: 'ASCAT3' },
          },
        ],
      },
    },
  ])
  expect(documents.cases).toMatchObject([{ case_id: C1, available_variation_data: ['cnv'] }])
})

test('two copies make no record and are counted, as are cells without a number', async () => {
  const numbers = ['0', '1', '2', '2', '3', '4', '5', '40', '', 'NA']
  const rows = numbers.map((number, i) => copies(`ENSG${i}`, number))
  const { documents, intake } = await documentsOf([tsv(ASCAT, COPIES, ...rows), record()])
  const found = (documents.cnvs ?? []).map(({ consequence, cnv_change, ...cnv }) => [
    JSON.stringify(consequence).match(/ENSG(\d)/)?.[1],
    cnv_change,
    cnv.cnv_change_5_category,
  ])
  expect(found.sort()).toEqual([
    ['0', 'Loss', 'Homozygous Deletion'],
    ['1', 'Loss', 'Loss'],
    ['4', 'Gain', 'Gain'],
    ['5', 'Gain', 'Gain'],
    ['6', 'Gain', 'Amplification'],
    ['7', 'Gain', 'Amplification'],
  ])
  expect(intake.reports.at(-1)).toMatchObject({ rows: 10, neutral: 2, missing: 2, badRows: 0 })
})

test('the copy of a gene on Y keeps its version, and a row that says nothing is bad', async () => {
  const table = tsv(
    ASCAT,
    COPIES,
    copies('ENSG00000002586.20_PAR_Y', '3'),
    copies('ENSG00000002586.20', '3'),
    copies('ENSG1', '2.5'),
    copies('', '3'),
    ['ENSG1', 'G', 'chr7', '9', '8', '3', '', ''],
  )
  const { documents, intake } = await documentsOf([table, record()], { maxErrors: 9 })
  expect(documents.cnvs?.map((cnv) => JSON.stringify(cnv).match(/ENSG[\w.]+/)?.[0]).sort()).toEqual(
    ['ENSG00000002586', 'ENSG00000002586.20_PAR_Y'],
  )
  expect(intake.badRows.map(({ line, reason }) => [line, reason])).toEqual([
    [5, 'the row has no gene id'],
    [6, 'start and end are no span: 9 to 8'],
  ])
})

test.each([
  ['the folder that is called by its id', `${F1}/renamed.tsv`, {}],
  ['the name of a packed file', ASCAT, { file_name: `${ASCAT}.gz` }],
  ['its name', ASCAT, {}],
])('the case of a table without samples is found by %s', async (_, name, file) => {
  const table = tsv(name, COPIES, copies('ENSG1', '1'))
  const { documents } = await documentsOf([table, record(file)])
  expect(documents.cnv_occurrences).toMatchObject([{ case: { case_id: C1 } }])
})

test.each([
  ['no record', json([{ case_id: C1 }])],
  ['the record of another file', record({ file_name: 'y' })],
  ['a record of two cases', record({ cases: [{ case_id: C1 }, { case_id: C2 }] })],
])('a table without samples and with %s is not taken', async (_, source) => {
  const { documents, intake } = await documentsOf([
    tsv(ASCAT, COPIES, copies('ENSG1', '1')),
    source,
  ])
  expect(intake.reports.at(-1)?.notTaken).toMatch(/names no sample.*import the file's record/)
  expect(documents.cnvs).toBeUndefined()
})

const SEGMENTS = ['GDC_Aliquot', 'Chromosome', 'Start', 'End']
const ALLELES = [...SEGMENTS, 'Copy_Number', 'Major_Copy_Number', 'Minor_Copy_Number']
const PERSON = json(
  [
    {
      case_id: C1,
      submitter_id: 'P-1',
      samples: [{ portions: [{ analytes: [{ aliquots: [{ aliquot_id: A1 }] }] }] }],
    },
    { case_id: C2, aliquot_ids: [A2] },
  ],
  'cases.json',
)

test('segments of an aliquot belong to the case that has it, wherever that is said', async () => {
  const table = tsv(
    'x.ascat3.allelic_specific.seg.txt',
    ALLELES,
    [A1, 'chr1', '11', '20', '0', '0', '0'],
    [A2.toUpperCase(), 'chrX', '1', '1', '7', '6', '1'],
    [A1, 'chr2', '1', '9', '2', '1', '1'],
    [F1, 'chr1', '1', '9', '1', '1', '0'],
  )
  const { documents, intake } = await documentsOf([table, PERSON], { maxErrors: 1 })
  expect(documents.segment_cnvs).toHaveLength(2)
  expect(documents.segment_cnvs).toEqual(
    expect.arrayContaining([
      {
        segment_cnv_id: MADE,
        chromosome: '1',
        start_position: 11,
        end_position: 20,
        length: 10,
        cnv_change: 'Loss',
        cnv_change_5_category: 'Homozygous Deletion',
      },
      expect.objectContaining({ chromosome: 'X', length: 1, cnv_change: 'Gain' }),
    ]),
  )
  const found = documents.segment_cnv_occurrences?.map((each) => each.case)
  const observed = (copy_number: number) => [
    { observation_id: MADE, copy_number, variant_calling: { variant_caller: 'ASCAT3' } },
  ]
  expect(found).toHaveLength(2)
  expect(found).toEqual(
    expect.arrayContaining([
      { case_id: C1, observation: observed(0) },
      { case_id: C2, observation: observed(7) },
    ]),
  )
  expect(documents.cases).toMatchObject([
    { available_variation_data: ['segment_cnv'] },
    { available_variation_data: ['segment_cnv'] },
  ])
  expect(intake.badRows).toEqual([
    expect.objectContaining({ line: 5, reason: expect.stringContaining('no case of the release') }),
  ])
  expect(intake.reports.at(-1)).toMatchObject({ neutral: 1 })
})

test('segments in the columns of segmentation programs are taken', async () => {
  const table = tsv(
    'x.hg19.seg',
    ['ID', 'chrom', 'loc.start', 'loc.end', 'num.mark', 'seg.mean'],
    [BARCODE, '23', '1e+08', '1.5e+08', '5', '-0.9'],
    [BARCODE, '1', '5', '9', '5', 'high'],
  )
  const { documents, intake } = await documentsOf([table], { maxErrors: 1 })
  expect(documents.segment_cnvs).toMatchObject([
    { chromosome: 'X', start_position: 100_000_000, end_position: 150_000_000 },
  ])
  expect(documents.cases).toMatchObject([{ submitter_id: 'TCGA-AA-0001' }])
  expect(intake.reports[0]?.columns).toContainEqual(
    expect.objectContaining({
      name: 'seg.mean',
      misunderstood: 1,
      examples: [{ line: 3, cell: 'high' }],
    }),
  )
})

test('the category of a mean is that of the nearest copies', () => {
  // python3 -c 'import math; print([math.log2(c / 2) for c in (.5, 1.5, 2.5, 4.5)])' ->
  //   -2, -0.41503749927884376, 0.32192809488736235, 1.1699250014423124
  const edges = [-2.0001, -1.9999, -0.41504, -0.41503, 0.32192, 0.32193, 1.16992, 1.16993]
  expect(edges.map(categoryOfLog2Ratio)).toEqual([
    ...['Homozygous Deletion', 'Loss', 'Loss', 'Neutral'],
    ...['Neutral', 'Gain', 'Gain', 'Amplification'],
  ])
  for (const copies of [1, 2, 3, 4, 5, 8]) {
    expect(categoryOfLog2Ratio(Math.log2(copies / 2))).toBe(categoryOfCopies(copies))
  }
})

const calls = (name: string, ...rows: readonly (readonly string[])[]) =>
  tsv(name, ['symbol', BARCODE, 'TCGA-AA-0002-01A'], ...rows)

test('genes of calls that are known by symbol have what the gene model says of them', async () => {
  const table = calls('x.tsv', ['A', '-2', '0'], ['TWICE', '1', 'NA'], ['OLD', '2', '2'])
  const { documents, intake } = await documentsOf([tsv('genes.tsv', ...MODEL), table])
  const bySymbol = new Map(
    documents.cnvs?.map((cnv) => [JSON.stringify(cnv).match(/"symbol":"(\w+)"/)?.[1], cnv]),
  )
  expect(bySymbol.get('A')).toEqual({
    cnv_id: MADE,
    cnv_change: 'Loss',
    cnv_change_5_category: 'Homozygous Deletion',
    gene_level_cn: true,
    chromosome: '3',
    start_position: 5,
    end_position: 9,
    consequence: [
      {
        consequence_id: MADE,
        gene: { symbol: 'A', gene_id: 'ENSG1', biotype: 'protein_coding' },
      },
    ],
  })
  for (const [symbol, change] of [
    ['TWICE', 'Gain'],
    ['OLD', 'Gain'],
  ] as const) {
    const cnv = bySymbol.get(symbol)
    expect(cnv).toMatchObject({ cnv_change: change, consequence: [{ gene: { symbol } }] })
    expect(cnv).not.toHaveProperty('chromosome')
  }
  expect(documents.cnv_occurrences).toHaveLength(4)
  expect(intake.reports.at(-1)).toMatchObject({ neutral: 1, missing: 1 })
})

test('calls of the earlier reference have genes of the model and no places', async () => {
  const sources = [tsv('genes.tsv', ...MODEL), calls('x.hg19.tsv', ['A', '-1', '0'])]
  const { documents } = await documentsOf(sources)
  expect(documents.cnvs).toMatchObject([
    { agency_build: 'GRCh37', consequence: [{ gene: { gene_id: 'ENSG1' } }] },
  ])
  expect(documents.cnvs?.[0]).not.toHaveProperty('start_position')
})

test('scores of the commons have gene ids and aliquots; a wrong call takes the row', async () => {
  const table = (...rows: readonly (readonly string[])[]) =>
    tsv('ACC.focal_score_by_genes.txt', ['Gene Symbol', 'Gene ID', 'Cytoband', A1, A2], ...rows)
  const { documents, intake } = await documentsOf(
    [table(['ENSG1.3', '984', '3p', '1', '0'], ['ENSG2.4', '0', '3p', '0', '-1']), PERSON],
    { maxErrors: 1 },
  )
  expect(documents.cnv_occurrences).toHaveLength(2)
  expect(documents.cnv_occurrences).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        case: {
          case_id: C1,
          observation: [{ observation_id: MADE, sample: { tumor_sample_uuid: A1 } }],
        },
      }),
    ]),
  )
  expect(intake.reports.at(-1)).toMatchObject({ neutral: 2 })
  const stranger = await documentsOf([table(['ENSG1.3', '984', '3p', '1', '0'])])
  expect(stranger.intake.reports[0]?.notTaken).toContain(`has an aliquot "${A1}"`)
  const wrong = [
    ['ENSG1.3', '984', '3p', '1', '0'],
    ...Array.from({ length: 200 }, () => ['ENSG1.3', '984', '3p', '1', '0', '']),
    ['ENSG1.3', '984', '3p', '1', '3'],
  ]
  const rows = wrong.map((row, i) => [`ENSG${i + 1}.3`, ...row.slice(1, 5)])
  const { intake: bad } = await documentsOf([table(...rows), PERSON], { maxErrors: 1 })
  expect(bad.badRows).toMatchObject([{ line: 203, reason: 'column 5 is 3, no call from -2 to 2' }])
})

test.each([
  ['numbers that are no calls', ['-1', '0.5']],
  ['zeros', ['0', '0']],
])('a table of genes by samples with %s is not of copy numbers', async (_, row) => {
  const { intake } = await documentsOf([calls('x.tsv', ['A', ...row])])
  expect(intake.reports[0]?.notTaken).toContain('casemill import expression')
})

test('mutations and copy numbers of a case are named in one order, whichever came first', async () => {
  const maf: GivenSource = tsv(
    'x.hg38.maf',
    [
      ...['Chromosome', 'Start_Position', 'Reference_Allele'],
      ...['Tumor_Seq_Allele2', 'Tumor_Sample_Barcode'],
    ],
    ['1', '5', 'C', 'T', BARCODE],
  )
  const table = tsv('x.tsv', ['symbol', BARCODE], ['A', '-1'])
  for (const sources of [
    [maf, table],
    [table, maf],
  ]) {
    const { documents } = await documentsOf(sources)
    expect(documents.cases).toMatchObject([{ available_variation_data: ['cnv', 'ssm'] }])
  }
})

test('observations that differ stand beside each other, equal ones are one', async () => {
  const rows = [COPIES, copies('ENSG1', '1')]
  const other = 'x.ascat2.gene_level_copy_number.v36.tsv'
  const records = json([
    { file_id: F1, file_name: ASCAT, cases: [{ case_id: C1 }] },
    { file_id: A1, file_name: other, cases: [{ case_id: C1 }] },
  ])
  const [one, two] = [tsv(ASCAT, ...rows), tsv(other, ...rows)]
  const { documents, texts } = await documentsOf([one, two, records])
  expect(documents.cnvs).toHaveLength(1)
  expect(documents.cnv_occurrences).toHaveLength(1)
  expect(
    JSON.stringify(documents.cnv_occurrences)
      .match(/ASCAT\d/g)
      ?.sort(),
  ).toEqual(['ASCAT2', 'ASCAT3'])
  expect((await documentsOf([two, records, one, two])).texts).toEqual(texts)
})
