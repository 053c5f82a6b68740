import { describe, expect, test } from 'vitest'
import {
  documentsOf,
  type GivenSource,
  uuidOf as id,
  json,
  tsv,
} from '../../../test/commons/import/support/documents.ts'

// Rows that contradict each other, or that repeat other rows. None of them must silently become a record.

async function read(...sources: readonly GivenSource[]) {
  const { documents, intake, assembled } = await documentsOf(sources, { maxErrors: 99 })
  return {
    cases: (documents.cases ?? []).map((one) => String(one.submitter_id ?? one.case_id)).sort(),
    reasons: intake.badRows.map(({ line, reason }) => `${line}: ${reason}`),
    notTaken: intake.reports.map(({ notTaken }) => notTaken),
    twins: assembled.twins.first.map(
      ({ cases, reason }) =>
        `${cases.map((each) => `${each.case} (${each.line})`).join(', ')}: ${reason}`,
    ),
  }
}

const sheet = (...rows: readonly (readonly [cases: string, samples: string])[]) =>
  tsv(
    'sheet.tsv',
    ['File ID', 'File Name', 'Case ID', 'Sample ID'],
    ...rows.map(([cases, samples], i) => [id('f', i), `${i}.bam`, cases, samples]),
  )
const survival = (...rows: readonly (readonly [sample: string, patient: string])[]) =>
  tsv(
    'survival.tsv',
    ['sample', '_PATIENT', 'OS', 'OS.time'],
    ...rows.map(([sample, patient], i) => [sample, patient, '0', String(100 + i)]),
  )
const segments = (...samples: readonly string[]) =>
  tsv(
    'a.seg',
    ['ID', 'chrom', 'loc.start', 'loc.end', 'num.mark', 'seg.mean'],
    ...samples.map((name) => [name, '7', '1', '99', '9', '1.5']),
  )
const MAF = [
  ...['Hugo_Symbol', 'Chromosome', 'Start_Position', 'End_Position', 'Reference_Allele'],
  ...['Tumor_Seq_Allele2', 'Tumor_Sample_Barcode', 'case_id'],
]
const maf = (...rows: readonly (readonly [barcode: string, caseId: string])[]) =>
  tsv(
    'a.maf',
    MAF,
    ...rows.map((row, i) => ['TP53', '17', `${i + 1}`, `${i + 1}`, 'C', 'T', ...row]),
  )
const pine = (n: number, ...samples: readonly string[]) => ({
  case_id: id('c', n),
  submitter_id: `PINE-${n}`,
  samples: samples.map((name) => ({ submitter_id: name })),
})

describe('a specimen that rows put into two cases', () => {
  test('is told with the cases and lines', async () => {
    const { twins } = await read(
      sheet(['PINE-1', 'PINE-1-T'], ['PINE-2', 'PINE-2-T'], ['PINE-2', 'PINE-1-T']),
    )
    expect(twins).toEqual([
      'PINE-1 (2), PINE-2 (4): each has the sample "PINE-1-T"; correct the rows that say so',
    ])
  })

  test('is told by its id, also where the cases have ids', async () => {
    const sample = { sample_id: id('a', 1) }
    const { twins } = await read(
      json([
        { case_id: id('c', 1), samples: [sample] },
        { case_id: id('c', 2), samples: [sample] },
      ]),
    )
    expect(twins).toEqual([
      `${id('c', 1)} (1), ${id('c', 2)} (1): each has the sample "${id('a', 1)}"; correct the rows that say so`,
    ])
  })

  test('is none where two projects name theirs alike', async () => {
    const of = (n: number, project: string) => ({
      ...{ ...pine(n, 'T1'), project: { project_id: project } },
    })
    expect((await read(json([of(1, 'A'), of(2, 'B')]))).twins).toEqual([])
  })

  test('is of none of them in a table that names it alone', async () => {
    const known = json([pine(1, 'T1'), pine(2, 'T1')])
    for (const table of [maf(['T1', '']), segments('T1')]) {
      const { cases, reasons } = await read(known, table)
      expect(cases).toEqual(['PINE-1', 'PINE-2'])
      expect(reasons).toEqual(['2: "T1" is a specimen of several cases; add a column case_id'])
    }
  })
})

describe('a row whose names are of two cases', () => {
  const known = json([pine(1, 'T1'), pine(2, 'T2')])

  test('is refused in a mutation table', async () => {
    const { reasons } = await read(known, maf(['T1', id('c', 1)], ['T2', id('c', 1)]))
    expect(reasons).toEqual([
      `3: "${id('c', 1)}" and "T2" are of the cases "PINE-1" and "PINE-2"; correct the row`,
    ])
  })

  test('is refused in a survival table', async () => {
    const { reasons } = await read(known, survival(['T1', 'PINE-1'], ['T2', 'PINE-1']))
    expect(reasons).toEqual([
      '3: "PINE-1" and "T2" are of the cases "PINE-1" and "PINE-2"; correct the row',
    ])
  })

  test.each(['T8;T9', 'T8|T9'])('is refused where one cell has the specimens %s', async (names) => {
    for (const table of [maf([names, '']), segments(names)]) {
      const { cases, reasons } = await read(known, table)
      expect(cases).toEqual(['PINE-1', 'PINE-2'])
      expect(reasons).toEqual([
        `2: "${names}" looks like a list of specimens; give each specimen a row of its own`,
      ])
    }
  })

  test('is refused where a barcode says another patient', async () => {
    const { cases, reasons } = await read(
      sheet(['TCGA-AA-0001', 'TCGA-AA-0001-01A'], ['TCGA-AA-0002', 'TCGA-AA-0003-01A']),
    )
    expect(cases).toEqual(['TCGA-AA-0001'])
    expect(reasons).toEqual([
      '3: "TCGA-AA-0003-01A" is no specimen of the case "TCGA-AA-0002"; correct the row',
    ])
  })
})

test('an id that is not the one of its record is refused', async () => {
  const header = ['id', 'file_id', 'file_name', 'file_size', 'access']
  const { reasons } = await read(
    tsv('files.tsv', header, [id('f', 1), id('f', 2), 'a.bam', '5', 'open']),
  )
  expect(reasons).toEqual([
    `2: file_id is "${id('f', 2)}", and id is "${id('f', 1)}"; correct the record`,
  ])
})

test('cases that are alive and have days to death are counted', async () => {
  const of = (n: number, vital_status: string, days: number | null) => ({
    ...{ ...pine(n), demographic: { vital_status, days_to_death: days } },
  })
  const { assembled } = await documentsOf([
    json([of(1, 'Alive', 500), of(2, 'Alive', null), of(3, 'Dead', 500)]),
  ])
  expect(assembled.aliveWithDeath).toBe(1)
})

describe('a mutation that contradicts itself', () => {
  const HEADER = [
    ...['Chromosome', 'Start_Position', 'End_Position', 'Reference_Allele', 'Tumor_Seq_Allele2'],
    ...['Variant_Type', 'Strand', 't_depth', 't_alt_count', 'Tumor_Sample_Barcode'],
  ]
  const told = async (...cells: readonly string[]) => {
    const { intake, documents } = await documentsOf([tsv('a.maf', HEADER, [...cells, 'P'])], {
      maxErrors: 9,
    })
    const columns = intake.reports[0]?.columns ?? []
    return [
      documents.ssms?.[0]?.end_position,
      ...columns.flatMap(({ name, changed }) => changed.map((each) => `${name}: ${each.name}`)),
      ...intake.badRows.map(({ reason }) => reason),
    ]
  }

  test.each([
    ['a substitution', ['17', '5', '5', 'C', 'T', 'SNP', '+', '9', '4'], [5]],
    ['two bases of any word', ['17', '5', '6', 'CC', 'TT', 'ONP', '+', '9', '4'], [6]],
    [
      'another type',
      ['17', '5', '5', 'C', 'T', 'DEL', '+', '9', '4'],
      [5, 'Variant_Type: of another type than the alleles, which are taken'],
    ],
    [
      'the other strand',
      ['17', '5', '5', 'C', 'T', 'SNP', '-', '9', '4'],
      [5, 'Strand: of the reverse strand; the alleles are taken as on the forward one'],
    ],
    [
      'more reads than all',
      ['17', '5', '5', 'C', 'T', 'SNP', '+', '9', '14'],
      [5, 't_alt_count: above t_depth, which counts all reads'],
    ],
    ['an insertion', ['17', '5', '6', '-', 'T', 'INS', '+', '9', '4'], [6]],
    [
      'an insertion behind its base',
      ['17', '5', '5', '-', 'T', 'INS', '+', '9', '4'],
      [6, 'End_Position: written as the base after the insertion'],
    ],
    [
      'an insertion as VCF writes it',
      ['17', '5', '5', 'C', 'CT', 'INS', '+', '9', '4'],
      [6, 'Reference_Allele: written without the bases that both alleles begin with'],
    ],
    [
      'a deletion as VCF writes it',
      ['17', '5', '7', 'CTA', 'C', 'DEL', '+', '9', '4'],
      [7, 'Reference_Allele: written without the bases that both alleles begin with'],
    ],
    [
      'an insertion of no place',
      ['17', '5', '9', '-', 'T', 'INS', '+', '9', '4'],
      [
        undefined,
        'an insertion lies between two bases, and start and end span 5; give the bases around it',
      ],
    ],
  ])('%s', async (_, cells, expected) => {
    expect(await told(...cells)).toEqual(expected)
  })
})

test('a log2 ratio that is none is refused', async () => {
  const header = ['ID', 'chrom', 'loc.start', 'loc.end', 'seg.mean']
  const table = tsv('a.seg', header, ['P', '7', '1', '9', '150'], ['P', '7', '1', '9', '-33'])
  expect((await read(table)).reasons).toEqual(['2: seg.mean is 150, no log2 ratio to two copies'])
})

test('a note below a table is no patient', async () => {
  const header = ['patientID', 'years_to_birth', 'vital_status']
  const table = tsv('s.tsv', header, ['PINE-1', '60', '0'], ['* ages in years', '', ''])
  const { cases, reasons } = await read(table)
  expect(cases).toEqual(['PINE-1'])
  expect(reasons).toEqual(['3: the row says nothing of a patient called "* ages in years"'])
})

test('the index of pandas is no field of a record', async () => {
  const header = ['', 'file_id', 'file_name', 'file_size', 'access']
  const { documents } = await documentsOf([
    tsv('files.tsv', header, ['0', id('f', 1), 'a.bam', '5', 'open']),
  ])
  expect(Object.keys(documents.files?.[0] ?? {})).not.toContain('')
  expect(documents.files?.[0]).toMatchObject({ file_name: 'a.bam', file_size: 5 })
})

describe('a row of sums', () => {
  test.each([...['Total', 'TOTAL', 'Grand Total', 'Sum', 'Average', 'Total Result', 'All']])(
    '%s is no patient, and no row of one',
    async (word) => {
      const study = tsv(
        'study.tsv',
        ['patientID', 'years_to_birth', 'vital_status'],
        ['PINE-1', '60', '0'],
        [word, '60', '0'],
      )
      const { cases, reasons } = await read(survival(['', 'PINE-1'], [word, word]), study)
      expect(cases).toEqual(['PINE-1'])
      const reason = `3: the row is the "${word}" of others, and no record`
      expect(reasons).toEqual([reason, reason])
    },
  )

  test('is no gene of a call matrix, and a column of sums is no sample', async () => {
    const calls = (...header: readonly string[]) =>
      tsv(
        'calls.txt',
        ['Gene Symbol', 'Locus ID', 'Cytoband', ...header],
        ['TP53', '1', '17p13', '-1', '0'],
        ['MAX', '2', '14q23', '1', '0'],
        ['Total', '', '', '0', '0'],
      )
    expect((await read(calls('PINE-1', 'PINE-2'))).reasons).toEqual([
      '4: the row is the "Total" of others, and no record',
    ])
    expect((await read(calls('PINE-1', 'Total'))).notTaken).toEqual([
      'its column "Total" is of no sample; remove it',
    ])
  })
})

describe('a name that a program has changed', () => {
  test.each([
    ['PINE-4.1', 'their names differ in a number at the end alone, as R numbers repeated names'],
    ['PINE.4.1', 'their names differ in a number at the end alone, as R numbers repeated names'],
    ['pine.4', 'their names differ in upper and lower case, blanks, dashes or zeros alone'],
    ['T4.1', '"T4.1" is the name of a specimen, or nearly so'],
    ['t-4', undefined],
  ])('%s is a new case, and is told beside the one it may be', async (name, reason) => {
    const { cases, twins } = await read(json([pine(4, 'T4')]), segments(name))
    expect(cases).toEqual(['PINE-4', name].sort())
    const told = twins.map((twin) => twin.split(': ').at(-1))
    expect(told).toEqual(reason === undefined ? [] : [reason])
  })

  test('a column of a call matrix that is another one again is refused, unless its sample is known', async () => {
    const calls = tsv(
      'calls.txt',
      ['Gene Symbol', 'Locus ID', 'Cytoband', 'PINE-1', 'PINE-1.1'],
      ['TP53', '1', '17p13', '-1', '2'],
    )
    const { notTaken } = await read(calls)
    expect(notTaken).toEqual([
      'its column "PINE-1.1" is "PINE-1" again, as R and pandas number repeated columns; remove one, or import the record of its sample before',
    ])
    expect((await read(json([pine(1, 'PINE-1.1')]), calls)).cases).toEqual(['PINE-1'])
  })

  test('X123 of R is told beside 123', async () => {
    const { twins } = await read(segments('123', 'X123'))
    expect(twins).toEqual([
      '123 (2), X123 (3): their names differ in upper and lower case, blanks, dashes or zeros alone',
    ])
  })

  test('00123 is told beside the 123 that a spreadsheet has made of it', async () => {
    const { twins } = await read(json([pine(1, '00123')]), segments('123', 'PINE-0'))
    expect(twins).toEqual([
      `123 (2), ${id('c', 1)} (1): "123" is the name of a specimen, or nearly so`,
    ])
  })

  test('numbers at the end of names are no doubt without the name before them', async () => {
    expect((await read(segments('PINE.1', 'PINE.2', 'TCGA.AA.0001.1'))).twins).toEqual([])
  })

  test('a repeated barcode that R has numbered is no specimen of the patient', async () => {
    const { cases, twins } = await read(segments('TCGA.AA.0001', 'TCGA.AA.0001.1'))
    expect(cases).toEqual(['TCGA-AA-0001', 'TCGA.AA.0001.1'])
    expect(twins).toHaveLength(1)
  })
})
