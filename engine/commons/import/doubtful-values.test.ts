import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  documentsOf,
  type GivenSource,
  uuidOf as id,
  json,
  tsv,
} from '../../../test/commons/import/support/documents.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import { lastBaseOf } from '../datasets/chromosome-lengths.ts'
import { importCommons } from './import-commons.ts'

// Values that can be read but are probably not what their authors meant. Each must be reported or rejected.

async function read(...sources: readonly GivenSource[]) {
  const { documents, intake, assembled } = await documentsOf(sources, { maxErrors: 99 })
  return {
    documents,
    assembled,
    columns: intake.reports.map(({ columns }) => columns),
    // Sources have their whole path.
    doubts: intake.reports.map(({ doubts = [] }) =>
      doubts.map((doubt) => doubt.replace(/"\/.*\//, '"')),
    ),
    reasons: intake.badRows.map(({ line, reason }) => `${line}: ${reason}`),
  }
}

const MAF = [
  ...['NCBI_Build', 'Chromosome', 'Start_Position', 'End_Position', 'Reference_Allele'],
  ...['Tumor_Seq_Allele2', 'Tumor_Sample_Barcode', 'Matched_Norm_Sample_Barcode'],
]
const DEFAULTS = {
  ...{ NCBI_Build: 'GRCh38', Chromosome: '17', Reference_Allele: 'C', Tumor_Seq_Allele2: 'T' },
  Tumor_Sample_Barcode: 'PINE-1-T',
}
const maf = (...rows: Readonly<Record<string, string>>[]) =>
  tsv(
    'a.maf',
    MAF,
    ...rows.map((row, i) => {
      const cells: Record<string, string> = { ...DEFAULTS, Start_Position: `${i + 1}`, ...row }
      cells.End_Position ??= cells.Start_Position ?? ''
      return MAF.map((name) => cells[name] ?? '')
    }),
  )
const segments = (...rows: readonly (readonly string[])[]) =>
  tsv('a.seg', ['Sample', 'Chromosome', 'Start', 'End', 'Segment_Mean'], ...rows)
const clinical = (...rows: Readonly<Record<string, string>>[]) => {
  const header = ['cases.case_id', ...new Set(rows.flatMap((row) => Object.keys(row)))]
  return tsv(
    'clinical.tsv',
    [...new Set(header)],
    ...rows.map((row, i) =>
      [...new Set(header)].map((name) => ({ 'cases.case_id': id('c', i + 1), ...row })[name] ?? ''),
    ),
  )
}

describe('a record of two cases', () => {
  const diagnosis = (n: number) => ({ diagnosis_id: id('d', n), age_at_diagnosis: 20_000 })

  test('is told with the cases and lines', async () => {
    const rows = [1, 1, 2].map((n) => ({ 'diagnoses.diagnosis_id': id('d', n) }))
    const { assembled } = await read(clinical(...rows))
    expect(assembled.twins).toMatchObject({
      count: 1,
      shared: 1,
      first: [
        {
          cases: [
            { case: id('c', 1), line: 2 },
            { case: id('c', 2), line: 3 },
          ],
          reason: `each has the diagnosis "${id('d', 1)}"; correct the rows that say so`,
        },
      ],
    })
  })

  test.each([
    ['treatment', { diagnoses: [{ ...diagnosis(1), treatments: [{ treatment_id: 'x' }] }] }],
    ['follow up', { follow_ups: [{ follow_up_id: 'x' }] }],
    ['exposure', { exposures: [{ exposure_id: 'X' }] }],
    ['demographic', { demographic: { demographic_id: 'x' } }],
  ])('is told over two tables, if it is a %s', async (noun, record) => {
    const other = JSON.parse(JSON.stringify(record).replace(id('d', 1), id('d', 2)))
    const { assembled } = await read(
      json([{ case_id: id('c', 1), project: { project_id: 'A' }, ...record }], 'a.json'),
      json([{ case_id: id('c', 2), project: { project_id: 'B' }, ...other }], 'b.json'),
    )
    expect(assembled.twins.first).toMatchObject([
      { reason: `each has the ${noun} "x"; correct the rows that say so` },
    ])
  })

  test('is none where one case is described twice, by its name and its id', async () => {
    const { assembled } = await read(
      json([{ case_id: id('c', 1), submitter_id: 'PINE-1', diagnoses: [diagnosis(1)] }]),
      json([{ submitter_id: 'PINE-1', diagnoses: [diagnosis(1)] }], 'b.json'),
    )
    expect(assembled.twins).toMatchObject({ count: 0, shared: 0 })
  })
})

describe('a specimen of the other kind', () => {
  // Code tables of TCGA: sample types 01 to 09 are tumors, 10 to 14 normals.
  test('is told by its TCGA barcode', async () => {
    const of = (tumor: string, normal: string) => ({
      Tumor_Sample_Barcode: `TCGA-AA-0001-${tumor}`,
      Matched_Norm_Sample_Barcode: `TCGA-AA-0001-${normal}`,
    })
    const { doubts, documents } = await read(
      maf(of('01A', '10A'), of('11A', '10B'), of('06A', '01A'), of('14A', '11A')),
    )
    expect(doubts).toEqual([
      [
        '2 rows name a specimen of normal tissue where the tumor belongs: "TCGA-AA-0001-11A" in line 3, "TCGA-AA-0001-14A" in line 5',
        '1 rows name a specimen of a tumor where the normal belongs: "TCGA-AA-0001-01A" in line 4',
      ],
    ])
    expect(documents.ssms).toHaveLength(4)
  })

  const cohort = json([
    {
      case_id: id('c', 1),
      submitter_id: 'PINE-1',
      samples: [
        { submitter_id: 'PINE-1-T', tissue_type: 'Tumor' },
        {
          submitter_id: 'PINE-1-N',
          sample_type: 'Blood Derived Normal',
          portions: [{ analytes: [{ aliquots: [{ submitter_id: 'PINE-1-N-1' }] }] }],
        },
      ],
    },
  ])

  test('is told by its sample in other sources', async () => {
    const table = maf(
      { Tumor_Sample_Barcode: 'PINE-1-T', Matched_Norm_Sample_Barcode: 'PINE-1-N-1' },
      { Tumor_Sample_Barcode: 'PINE-1-N-1', Matched_Norm_Sample_Barcode: 'PINE-1-T' },
    )
    expect((await read(cohort, table)).doubts[1]).toEqual([
      '1 rows name a specimen of normal tissue where the tumor belongs: "PINE-1-N-1" in line 3',
      '1 rows name a specimen of a tumor where the normal belongs: "PINE-1-T" in line 3',
    ])
  })

  test('is told in tables of copy numbers', async () => {
    const told = (line: number) =>
      `1 rows name a specimen of normal tissue where the tumor belongs: "PINE-1-N" in line ${line}`
    const seg = segments(['PINE-1-T', '7', '1', '9', '-1'], ['PINE-1-N', '7', '1', '9', '-1'])
    const calls = tsv(
      'calls.txt',
      ['Gene Symbol', 'Locus ID', 'Cytoband', 'PINE-1-T', 'PINE-1-N'],
      ['TP53', '1', '17p13', '-1', '0'],
    )
    expect((await read(cohort, seg)).doubts[1]).toEqual([told(3)])
    expect((await read(cohort, calls)).doubts[1]).toEqual([told(1)])
  })
})

describe('a position behind the end of a chromosome', () => {
  // Total lengths of chromosomes 1 to 22, X and Y: 3,095,677,412 in hg19 and 3,088,269,832 in hg38
  // (sum of the first 24 lines of hg19.chrom.sizes and hg38.chrom.sizes of UCSC).
  test.each([
    ['GRCh37', 3_095_677_412],
    ['GRCh38', 3_088_269_832],
  ])('is counted from the lengths of %s', (build, total) => {
    const names = [...Array.from({ length: 22 }, (_, i) => String(i + 1)), 'X', 'Y']
    expect(names.reduce((sum, name) => sum + lastBaseOf(name, build), 0)).toBe(total)
  })

  // samtools view -H of an hg38 BAM: SN:chr17 LN:83257441; of an hg19 one: SN:chr17 LN:81195210
  test('is refused in a mutation table by its build', async () => {
    const at = (NCBI_Build: string, Start_Position: string) => ({ NCBI_Build, Start_Position })
    const { reasons, documents } = await read(
      maf(
        at('GRCh38', '83257441'),
        at('GRCh38', '83257442'),
        at('hg19', '81195211'),
        at('', '83257441'),
        at('', '83257442'),
        { ...at('GRCh38', '83257441'), End_Position: '83257442', Reference_Allele: 'CC' },
        { ...at('GRCh38', '99999999'), Chromosome: 'GL000220.1' },
      ),
    )
    const behind = (position: number, bases: number, build: string) =>
      `position ${position} is behind the end of chromosome 17, which has ${bases} bases in ${build}`
    expect(reasons).toEqual([
      `3: ${behind(83257442, 83257441, 'GRCh38')}`,
      `4: ${behind(81195211, 81195210, 'GRCh37')}`,
      `6: ${behind(83257442, 83257441, 'any build')}`,
      `7: ${behind(83257442, 83257441, 'GRCh38')}`,
    ])
    expect(documents.ssms).toHaveLength(3)
  })

  test('is refused as the start of a segment, and told as its end', async () => {
    const { reasons, doubts, documents } = await read(
      segments(['P', '17', '1', '83257442', '-1'], ['P', '17', '83257442', '83257450', '-1']),
    )
    expect(reasons).toEqual([
      '3: position 83257442 is behind the end of chromosome 17, which has 83257441 bases in any build',
    ])
    expect(doubts[0]).toEqual([
      '1 segments end behind the end of their chromosome: "17:83257442" in line 2',
    ])
    expect(documents.segment_cnvs).toHaveLength(1)
  })

  test('is refused in a table of copies of genes', async () => {
    const header = ['gene_id', 'gene_name', 'chromosome', 'start', 'end', 'copy_number', 'sample']
    const row = (end: string) => ['ENSG00000141510', 'TP53', 'chr17', '7', end, '1', 'P']
    const { reasons } = await read(tsv('a.tsv', header, row('9'), row('83257442')))
    expect(reasons).toEqual([
      '3: position 83257442 is behind the end of chromosome 17, which has 83257441 bases in GRCh38',
    ])
  })

  test('is none before the first base', async () => {
    const { reasons } = await read(
      maf(
        { Start_Position: '0' },
        { Start_Position: '-5' },
        { End_Position: '2', Start_Position: '3' },
      ),
    )
    expect(reasons).toEqual([
      '2: start and end are no span: 0 to 0',
      '3: start and end are no span: -5 to -5',
      '4: start and end are no span: 3 to 2',
    ])
  })
})

describe('a position in a JSON record', () => {
  const of = (start: number, end: number, more: object = {}) => ({
    ...{ chromosome: 'chr17', start_position: start, end_position: end },
    ...more,
  })
  const mutation = (n: number, start: number, end: number, reference: string, build: string) => ({
    ssm_id: id('a', n),
    ...of(start, end, { reference_allele: reference, ncbi_build: build, tumor_allele: 'T' }),
  })
  const behind = (position: number, bases: number, build: string) =>
    `position ${position} is behind the end of chromosome 17, which has ${bases} bases in ${build}`

  // samtools view -H of an hg38 BAM: SN:chr17 LN:83257441; of an hg19 one: SN:chr17 LN:81195210
  test('is refused behind the end of the chromosome, as in a table', async () => {
    const { reasons, documents } = await read(
      json([
        mutation(1, 83257441, 83257441, 'C', 'GRCh38'),
        mutation(2, 83257442, 83257442, 'C', 'GRCh38'),
        mutation(3, 81195211, 81195211, 'C', 'hg19'),
        mutation(4, 83257441, 83257442, 'CC', 'GRCh38'),
        mutation(5, 83257441, 83257442, '-', 'GRCh38'),
        mutation(6, 9, 8, 'C', 'GRCh38'),
        { ssm_occurrence_id: id('b', 1), ssm: mutation(7, 83257442, 83257442, 'C', 'GRCh38') },
      ]),
    )
    expect(reasons).toEqual([
      `1: ${behind(83257442, 83257441, 'GRCh38')}`,
      `1: ${behind(81195211, 81195210, 'GRCh37')}`,
      `1: ${behind(83257442, 83257441, 'GRCh38')}`,
      '1: start and end are no span: 9 to 8',
      `1: ${behind(83257442, 83257441, 'GRCh38')}`,
    ])
    expect(documents.ssms?.map(({ ssm_id }) => ssm_id)).toEqual([id('a', 1), id('a', 5)])
  })

  test('is told as the end of a segment', async () => {
    const { reasons, doubts } = await read(
      json([
        { segment_cnv_id: id('a', 1), ...of(1, 83257442) },
        { segment_cnv_id: id('a', 2), ...of(83257442, 83257450) },
      ]),
    )
    expect(reasons).toEqual([`1: ${behind(83257442, 83257441, 'any build')}`])
    expect(doubts[0]).toEqual([
      '1 segments end behind the end of their chromosome: "17:83257442" in line 1',
    ])
  })
})

test('a chromosome in a JSON record is called as in a table', async () => {
  const place = { start_position: 9, end_position: 9 }
  const { documents, columns } = await read(
    json([
      ...['23', 'chrx', 'chrX', 'TRUE'].map((chromosome, i) => {
        return {
          ssm_id: id('a', i),
          reference_allele: 'C',
          tumor_allele: 'T',
          chromosome,
          ...place,
        }
      }),
      { segment_cnv_id: id('b', 1), chromosome: 'chr24', ...place },
    ]),
  )
  expect(documents.ssms?.map(({ chromosome }) => chromosome)).toEqual([
    ...['chrX', 'chrX', 'chrX', 'TRUE'],
  ])
  expect(documents.segment_cnvs).toMatchObject([{ chromosome: 'Y' }])
  expect(columns[0]).toEqual([
    expect.objectContaining({
      ...{ name: 'chromosome', misunderstood: 1, examples: [{ line: 1, cell: 'TRUE' }] },
      changed: [{ name: 'written as the chromosome is called here', count: 3 }],
    }),
  ])
})

describe('two columns of one meaning', () => {
  const survival = (...rows: readonly (readonly string[])[]) =>
    tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time', 'OS_time'], ...rows)
  const second = ({ columns }: Awaited<ReturnType<typeof read>>) =>
    columns[0]?.find(({ name }) => name === 'OS_time')

  test('are not understood where they have different numbers', async () => {
    const found = await read(survival(['P1', '1', '5', '50'], ['P2', '1', '6', '6.0']))
    expect(second(found)).toMatchObject({
      ...{ taken: 1, misunderstood: 1, examples: [{ line: 2, cell: '50' }] },
    })
    expect(JSON.stringify(found.documents.cases)).toContain('"days_to_death":5,')
  })

  test('complete each other', async () => {
    const found = await read(survival(['P1', '1', 'NA', '50'], ['P2', '1', '6', 'NA']))
    expect(second(found)).toMatchObject({ taken: 1, empty: 1, misunderstood: 0 })
    expect(JSON.stringify(found.documents.cases)).toContain('"days_to_death":50,')
  })
})

// NAACCR item 1760: 0 is dead, 1 alive. Studies have it the other way round.
describe('0 and 1 in place of a vital status', () => {
  const study = (...rows: readonly (readonly [status: string, days: string])[]) =>
    tsv(
      's.tsv',
      ['patientID', 'years_to_birth', 'vital_status', 'days_to_death'],
      ...rows.map(([status, days], i) => [`P${i}`, '60', status, days]),
    )
  const statusesOf = ({ documents }: Awaited<ReturnType<typeof read>>) =>
    documents.cases?.map((one) => (one.demographic as { vital_status?: string }).vital_status)

  test.each([
    [
      ['1', '300'],
      ['0', 'NA'],
      ['1', 'NA'],
      ['1.0', '8'],
    ],
    [
      ['1:DECEASED', 'NA'],
      ['0:LIVING', 'NA'],
      ['Dead', '8'],
    ],
  ] as const)('are no doubt where the table shows what they mean: %s, %s', async (...rows) => {
    const found = await read(study(...rows))
    expect(found.doubts[0]).toEqual([])
    expect(statusesOf(found)?.toSorted()).toEqual(
      rows.map(([status]) => (/^[1D]/.test(status) ? 'Dead' : 'Alive')).toSorted(),
    )
  })

  test('are told where no days to death show it, or some contradict it', async () => {
    expect((await read(study(['1', 'NA'], ['0', 'NA'], ['0', 'NA']))).doubts[0]).toEqual([
      'the vital status is 0 in 2 rows and 1 in 1, read as Alive and Dead, and no days to death show that 1 is dead; write Alive and Dead',
    ])
    expect((await read(study(['1', '5'], ['1', '6'], ['0', '7']))).doubts[0]).toEqual([
      'rows with days to death have the vital status 0 (1) and 1 (2), read as Alive and Dead; write Alive and Dead',
    ])
  })

  // A part of a table may look like this, and parts are read like the whole.
  test('are told where the days to death show that 0 is dead', async () => {
    expect((await read(study(['0', '5'], ['1', 'NA']))).doubts[0]).toEqual([
      '1 rows with the vital status 0 have days to death, and none with 1, as if 0 were dead; it is read as Alive; write Alive and Dead',
    ])
  })
})

describe('positions of several reference builds', () => {
  const of = (...builds: readonly string[]) => maf(...builds.map((NCBI_Build) => ({ NCBI_Build })))

  test('are told within a table', async () => {
    const { doubts, documents } = await read(of('GRCh38', 'hg19', '37', '38', ''))
    expect(doubts[0]).toEqual([
      'rows have positions of several reference builds: 2 of GRCh38 (from line 2), 2 of GRCh37 (from line 3), 1 of no build (from line 6)',
    ])
    expect(documents.ssms).toHaveLength(5)
  })

  test.each(['GRCh37', 'hg38', 'GRCh38.p13', 'hs37d5'])(
    'are none if all are of %s',
    async (build) => {
      expect((await read(of(build, build))).doubts[0]).toEqual([])
    },
  )

  test('are told over two tables', async () => {
    const hg19 = { ...of('hg19', 'hg19'), name: 'b.maf' }
    expect((await read(of('38'), hg19)).doubts[1]).toEqual([
      '2 rows have positions of GRCh37, and those of "a.maf" are of GRCh38',
    ])
    const seg = { ...segments(['P', '7', '1', '9', '-1']), name: 'x.hg19.seg' }
    expect((await read(of('38'), seg)).doubts[1]).toEqual([
      '1 rows have positions of GRCh37, and those of "a.maf" are of GRCh38',
    ])
  })

  test('are told if a build is unknown', async () => {
    expect((await read(of('36.1', 'mm10', '36.1'))).doubts[0]).toEqual([
      'rows have positions of several reference builds: 2 of 36.1 (from line 2), 1 of mm10 (from line 3)',
      'reference builds are unknown here, GRCh37 and GRCh38 are known: "36.1" in line 2, "mm10" in line 3',
    ])
  })
})

describe('a dot that may stand before thousands', () => {
  const study = (...days: readonly string[]) =>
    tsv(
      's.tsv',
      ['patientID', 'years_to_birth', 'vital_status', 'days_to_death'],
      ...days.map((each, i) => [`P${i}`, '60', '1', each]),
    )
  const told = (count: number, shown: string) =>
    `${count} values of days_to_death have three digits after a dot, which is read as a decimal one: ${shown}; if it stands before thousands, leave it out`

  // format(c(812, 1000, 1234), big.mark = ".", decimal.mark = ",") of R
  test('is told in a column of whole numbers', async () => {
    expect((await read(study('812', '1.000', '30'))).doubts[0]).toEqual([
      told(1, '"1.000" in line 3'),
    ])
    expect((await read(study('2.000', '3.000', '12.345,6'))).doubts[0]).toEqual([
      told(2, '"2.000" in line 2, "3.000" in line 3'),
    ])
  })

  // sprintf("%.1f", x), and sprintf("%.3f", x) with a value from 1,000 on
  test.each([
    ['34.0', '512.0', '1.000'],
    ['1.000', '1234.000'],
    ['34', '512'],
  ])('is none in %s, %s', async (...days) => {
    const { doubts, documents } = await read(study(...days))
    expect(doubts[0]).toEqual([])
    expect(JSON.stringify(documents.cases)).not.toContain('null')
  })

  test('is told in a field of whole numbers, and none in one of fractions', async () => {
    const rows = ['1.000', '20'].map((days, i) => ({
      'diagnoses.diagnosis_id': id('d', i),
      'diagnoses.year_of_diagnosis': '2001',
      'demographic.days_to_death': days,
      'diagnoses.days_to_last_follow_up': days,
    }))
    expect((await read(clinical(...rows))).doubts[0]).toEqual([
      told(1, '"1.000" in line 2').replace('days_to_death', 'demographic.days_to_death'),
    ])
    const texts = rows.map((row, i) => ({
      case_id: id('c', i),
      demographic: { days_to_death: row['demographic.days_to_death'] },
    }))
    expect((await read(json(texts))).doubts[0]).toEqual([
      expect.stringContaining('1 values of demographic.days_to_death have three digits'),
    ])
  })

  test('is told among fractions beside a decimal comma', async () => {
    const rows = (...means: readonly string[]) =>
      segments(...means.map((mean, i) => ['P', '7', `${i + 1}`, `${i + 1}`, mean]))
    expect((await read(rows('1.234', '-0.683', '0.5'))).doubts[0]).toEqual([])
    expect((await read(rows('1.234', '-0,683', '0,5'))).doubts[0]).toEqual([
      expect.stringContaining('1 values of Segment_Mean have three digits after a dot'),
    ])
  })
})

describe('a fraction in a field of whole numbers', () => {
  test('is kept and told', async () => {
    const records = ['365.25', '730', '12.5'].map((days, i) => ({
      case_id: id('c', i),
      demographic: { days_to_death: i === 2 ? Number(days) : days },
    }))
    const tables = clinical(
      ...records.map(({ demographic }) => ({
        'demographic.days_to_death': `${demographic.days_to_death}`,
      })),
    )
    for (const [source, lines] of [
      [json(records), [1, 1]],
      [tables, [2, 4]],
    ] as const) {
      const { doubts, documents } = await read(source)
      expect(doubts[0]).toEqual([
        `2 values of demographic.days_to_death have a fraction, which stays, in a field of whole numbers: "365.25" in line ${lines[0]}, "12.5" in line ${lines[1]}`,
      ])
      const days = (documents.cases ?? []).map(
        (one) => (one.demographic as { days_to_death: number }).days_to_death,
      )
      expect(days).toEqual([365.25, 730, 12.5])
    }
  })

  // In the dictionary, both fields have the type number. The latter is `long` only in the mapping.
  test('is none in a field of other numbers', async () => {
    const record = {
      ...{ case_id: id('c', 1), diagnoses: [{ days_to_last_follow_up: 365.25 }] },
      follow_ups: [{ molecular_tests: [{ copy_number: 2.5 }] }],
    }
    expect((await read(json([record]))).doubts[0]).toEqual([])
  })

  test('is refused in tables that declare whole numbers', async () => {
    const { reasons } = await read(
      tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], ['P', '1', '365.25']),
    )
    expect(reasons).toEqual(['2: the time "365.25" is no number of days'])
  })
})

test('texts of JSON by which programs write no value are told, and stay', async () => {
  const record = { case_id: id('c', 1), primary_site: 'nan', disease_type: 'N/A' }
  const { doubts, documents } = await read(
    json([{ ...record, diagnoses: [{ diagnosis_id: id('d', 1), residual_disease: 'None' }] }]),
  )
  const told = (field: string, text: string) =>
    `1 values of ${field} are texts by which programs write no value: "${text}" in line 1`
  expect(doubts[0]).toEqual([told('primary_site', 'nan'), told('disease_type', 'N/A')])
  expect(documents.cases).toMatchObject([{ primary_site: 'nan', disease_type: 'N/A' }])
})

test('terms of a list are read like single ones', async () => {
  const { columns, documents } = await read(
    json([{ case_id: id('c', 1), demographic: { vital_status: ['DECEASED', '1'] } }]),
  )
  expect(documents.cases).toMatchObject([{ demographic: { vital_status: ['Dead', null] } }])
  expect(columns[0]).toMatchObject([{ name: 'demographic.vital_status', misunderstood: 1 }])
})

test('days to death and follow-up before the diagnosis are told', async () => {
  const rows = [-5, 0, 7].map((days, i) => ({
    case_id: id('c', i),
    demographic: { days_to_death: days, days_to_birth: -20_000 },
    diagnoses: [{ days_to_last_follow_up: -days, days_to_diagnosis: -3 }],
  }))
  const told = (field: string, days: number) =>
    `1 values of ${field} are below 0, before the day from which days are counted: "${days}" in line 1`
  expect((await read(json(rows))).doubts[0]).toEqual([
    told('demographic.days_to_death', -5),
    told('diagnoses.days_to_last_follow_up', -7),
  ])
})

test('days by which programs mark a missing value are told', async () => {
  const of = (n: number, days: number) => ({
    case_id: id('c', n),
    demographic: { days_to_death: days },
  })
  const { doubts } = await read(json([of(1, -999), of(2, 9999), of(3, 9998), of(4, -9)]))
  expect(doubts[0]).toEqual([
    '2 values of demographic.days_to_death are numbers that often stand for a missing value: "-999" in line 1, "9999" in line 1',
    '1 values of demographic.days_to_death are below 0, before the day from which days are counted: "-9" in line 1',
  ])
})

test('segments of one sample that overlap are told', async () => {
  const { doubts, documents } = await read(
    segments(
      ['P', '7', '1', '99', '-1'],
      ['P', '7', '50', '120', '2'],
      ['P', '7', '120', '140', '-1'],
      ['P', '8', '1', '140', '-1'],
      ['Q', '8', '1', '99', '-1'],
    ),
  )
  expect(doubts[0]).toEqual([
    '1 segments overlap the one before in the same sample: "7:50-120" in line 3',
  ])
  expect(documents.segment_cnvs).toHaveLength(5)
})

// Surv() of R takes events of 1 and 2, where 1 is alive.
test('events of 1 and 2 are told', async () => {
  const { doubts, reasons } = await read(
    tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], ['P', '1', '5'], ['Q', '2', '5']),
  )
  expect(doubts[0]).toEqual([
    '1 rows have the event 2, as where 1 means alive and 2 dead; here 1 means dead: "2" in line 3',
  ])
  expect(reasons).toEqual(['3: OS is "2", not 0 or 1'])
})

test('cases that were seen after their death are counted', async () => {
  const of = (n: number, death: number, seen: number) => ({
    ...{ case_id: id('c', n), demographic: { days_to_death: death } },
    diagnoses: [{ days_to_last_follow_up: seen }],
  })
  expect((await read(json([of(1, 500, 501), of(2, 500, 500)]))).assembled.seenAfterDeath).toBe(1)
})

describe('an import', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-doubtful-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function imported(source: GivenSource, strict: boolean, data: string) {
    const path = join(folder, source.name)
    await writeFile(path, source.content)
    const dataFolder = join(folder, data)
    return importCommons({ sources: [path], dataFolder, executor: inlineExecutor, strict })
  }

  test('is refused under --strict for a doubt or a record of two cases', async () => {
    await expect(imported(maf({ NCBI_Build: '37' }, {}), true, 'a')).rejects.toThrow(
      'a.maf": rows have positions of several reference builds: 1 of GRCh37 (from line 2), 1 of GRCh38 (from line 3); correct them, or leave out --strict',
    )
    const twice = clinical(...[1, 1].map((n) => ({ 'diagnoses.diagnosis_id': id('d', n) })))
    await expect(imported(twice, true, 'a')).rejects.toThrow(
      `1 times cases have a specimen or a record in common: "${id('c', 1)}" and "${id('c', 2)}", each has the diagnosis "${id('d', 1)}"; correct the rows that say so; or leave out --strict`,
    )
    const { possibleTwins } = await imported(twice, false, 'a')
    expect(possibleTwins.shared).toBe(1)
  })

  describe('of sources that disagree about a case', () => {
    const case1 = (vital_status: string) => [
      {
        ...{ case_id: id('c', 1), submitter_id: 'P1', project: { project_id: 'A' } },
        demographic: { vital_status },
      },
    ]
    const survival = tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], ['P1', '1', '5'])
    const into = async (data: string, strict: boolean, ...given: readonly GivenSource[]) => {
      const sources = given.map(({ name }) => join(folder, name))
      for (const { name, content } of given) await writeFile(join(folder, name), content)
      const dataFolder = join(folder, data)
      return importCommons({ sources, dataFolder, executor: inlineExecutor, strict })
    }

    test.each([
      [
        'two of equal rank',
        '"Alive" and "Dead"',
        [json(case1('Alive'), 'a.json'), json(case1('Dead'), 'b.json')],
      ],
      ['a table and a record', '"Dead" and "Alive"', [json(case1('Alive'), 'a.json'), survival]],
    ])('tells %s, and is refused under --strict', async (_, values, sources) => {
      const { datasets } = await into('told', false, ...sources)
      await rm(join(folder, 'told'), { recursive: true })
      expect(datasets.cases.conflicts).toEqual([{ name: 'demographic.vital_status', count: 1 }])
      await expect(into('strict', true, ...sources)).rejects.toThrow(
        `sources disagree on 1 values of cases, such as demographic.vital_status of "P1": ${values}, which was taken; correct them, or leave out --strict`,
      )
    })

    test('is none where one says that it is not known, or both say the same', async () => {
      for (const status of ['Dead', 'Unknown', 'dead']) {
        await into(`same ${status}`, true, json(case1(status), 'a.json'), survival)
      }
    })

    test('tells a table that contradicts the release', async () => {
      await into('release', true, json(case1('Alive'), 'a.json'))
      const { datasets } = await into('release', false, survival)
      expect(datasets.cases.conflicts).toEqual([{ name: 'demographic.vital_status', count: 1 }])
    })
  })

  test('tells rows of another reference build than the release', async () => {
    await imported(maf({}), true, 'b')
    const { sources } = await imported({ ...maf({ NCBI_Build: '37' }), name: 'b.maf' }, false, 'b')
    expect(sources[0]?.doubts).toEqual([
      '1 rows have positions of GRCh37, and those of "the current release" are of GRCh38',
    ])
  })
})
