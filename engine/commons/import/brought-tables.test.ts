import { expect, test } from 'vitest'
import { documentsOf, json, tsv } from '../../../test/commons/import/support/documents.ts'

// Kinds of mistakes in tables that users have reported in public, each with the correct value.

const id = (last: string) => `11111111-1111-4111-8111-1111111111${last}`
const PLACE = ['Hugo_Symbol', 'NCBI_Build', 'Chromosome', 'Start_Position', 'End_Position']
const MAF = [...PLACE, 'Reference_Allele', 'Tumor_Seq_Allele2', 'Tumor_Sample_Barcode']
const mutation = (sample: string, chromosome = 'chr17', start = '7675088') => [
  ...['TP53', 'GRCh38', chromosome, start, start, 'C', 'T', sample],
]

const TREE = [
  {
    sample_id: id('a1'),
    submitter_id: 'PINE-0001-T1',
    portions: [
      {
        portion_id: id('a2'),
        analytes: [{ aliquots: [{ aliquot_id: id('a4'), submitter_id: 'PINE-0001-T1-D1' }] }],
      },
    ],
  },
]
const PATIENT = json([{ case_id: id('11'), submitter_id: 'PINE-0001', samples: TREE }])

test.each(['PINE-0001-T1', 'PINE-0001-T1-D1', id('a4'), 'PINE-0001'])(
  'a mutation of %s belongs to its patient, whichever source comes first',
  async (name) => {
    const table = tsv('a.maf', MAF, mutation(name))
    for (const sources of [
      [PATIENT, table],
      [table, PATIENT],
    ]) {
      const { documents, intake } = await documentsOf(sources)
      expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-0001'])
      expect(documents.ssm_occurrences).toMatchObject([{ case: { case_id: id('11') } }])
      expect(intake.reports.at(-1)).toMatchObject({ joins: { joined: 1, unjoined: 0 } })
    }
  },
)

test('a case that an earlier import made of a specimen is joined when its patient comes', async () => {
  const change = { chromosome: 'chr7', start_position: 5, end_position: 5 }
  const early = json({
    ssm_occurrence_id: id('0c'),
    ssm: { ssm_id: id('55'), ...change },
    case: { submitter_id: 'PINE-0001-T1', observation: [{ observation_id: 'o' }] },
  })
  const { documents } = await documentsOf([early, PATIENT])
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-0001'])
  expect(documents.ssm_occurrences).toMatchObject([{ case: { case_id: id('11') } }])
})

test('a MAF in the folder of its own file id is of the one case of the file', async () => {
  const record = json([
    {
      file_id: id('f1'),
      file_name: 'a.maf',
      cases: [{ case_id: id('11'), submitter_id: 'P-ONE' }],
    },
  ])
  const { documents } = await documentsOf([
    record,
    tsv(`${id('f1')}/a.maf`, MAF, mutation('T-ONE')),
  ])
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['P-ONE'])
})

test('survival of a sample by a name of the cohort is that of its patient', async () => {
  const survival = tsv('s.tsv', ['sample', 'OS', 'OS.time'], ['PINE-0001-T1', '1.0', '1e2'])
  const { documents } = await documentsOf([survival, PATIENT])
  expect(documents.cases).toMatchObject([
    { submitter_id: 'PINE-0001', demographic: { vital_status: 'Dead', days_to_death: 100 } },
  ])
})

test('rows of unknown cases are refused where most rows are of known ones', async () => {
  const rows = ['PINE-0001-T1', 'PINE-0001', 'PINE-9'].map((name) => mutation(name))
  await expect(documentsOf([PATIENT, tsv('a.maf', MAF, ...rows)])).rejects.toThrow(
    'belong to no case of the release or of the other sources, such as "PINE-9"',
  )
  const { documents } = await documentsOf([tsv('a.maf', MAF, ...rows)])
  expect(documents.cases).toHaveLength(3)
})

test.each([
  [
    'double quotes of R',
    '"Sample"\t"Chromosome"\t"Start"\t"End"\t"Segment_Mean"\n"A"\t"7"\t1\t2\t1.8\n',
  ],
  [
    'row names of R',
    '"Sample"\t"Chromosome"\t"Start"\t"End"\t"Segment_Mean"\n"1"\t"A"\t"7"\t1\t2\t1.8\n',
  ],
  [
    'one quoted cell',
    'Sample\tChromosome\tStart\tEnd\tSegment_Mean\tNote\nA\t7\t1\t2\t1.8\t"a ""b"""\n',
  ],
])('%s are no part of the values', async (_, content) => {
  const { documents } = await documentsOf([{ name: 'a.seg', content }])
  expect(documents.cases).toMatchObject([{ submitter_id: 'A' }])
  expect(documents.segment_cnvs).toMatchObject([{ chromosome: '7' }])
})

test('a lone quote in a text stays', async () => {
  const header = ['cases.case_id', 'diagnoses.diagnosis_id', 'diagnoses.primary_diagnosis']
  const { documents } = await documentsOf([tsv('c.tsv', header, [id('11'), id('d1'), '5" lesion'])])
  expect(documents.cases).toMatchObject([{ diagnoses: [{ primary_diagnosis: '5" lesion' }] }])
})

test.each([
  ["'--, Tumor", [undefined, 'Tumor']],
  ['Normal, NA', ['Normal', undefined]],
  [', Tumor', [undefined, 'Tumor']],
])('the list %j keeps the place of what is missing', async (types, expected) => {
  const header = ['File ID', 'File Name', 'Case ID', 'Sample ID', 'Tissue Type']
  const row = [id('f1'), 'a.maf', 'P, P', 'P-N, P-T', types]
  const { documents } = await documentsOf([tsv('sheet.tsv', header, row)])
  const [{ samples } = {}] = documents.cases ?? []
  expect((samples as { tissue_type?: string }[]).map((one) => one.tissue_type)).toEqual(expected)
})

test('chromosomes have one name in every kind of table', async () => {
  const names = ['X', 'chrX', '23', 'chr23', 'x', 'chrx', 'CHRX', '023', '23.0']
  const rows = names.map((name) => mutation('TCGA-AA-0001-01A', name))
  const { documents } = await documentsOf([tsv('a.maf', MAF, ...rows)])
  expect(documents.ssms).toMatchObject([{ chromosome: 'chrX' }])
  const others = ['7', '7.0', '07', 'MT', 'M', 'chrM', '24'].map((name) =>
    mutation('A', name, '9000'),
  )
  const { documents: more } = await documentsOf([tsv('a.maf', MAF, ...others)])
  expect(more.ssms?.map((ssm) => ssm.chromosome).sort()).toEqual(['chr7', 'chrM', 'chrY'])
})

test('ids of genes in JSON lose their versions, except for the copy on Y', async () => {
  const genes = ['ENSG00000141510.18', 'ENSG00000182378.14_PAR_Y', 'G.1']
  const { documents } = await documentsOf([
    json(genes.map((gene_id) => ({ gene_id, symbol: 'A' }))),
  ])
  expect(documents.genes?.map((gene) => gene.gene_id)).toEqual([
    'ENSG00000141510',
    'ENSG00000182378.14_PAR_Y',
    'G.1',
  ])
})

test.each([
  ['1e+05', 100_000],
  ['12.0', 12],
  ['34.', 34],
  ['nan', undefined],
  ['None', undefined],
  ['null', undefined],
  ['NA', undefined],
  ['--', undefined],
  ['', undefined],
])('the size %s is %s', async (size, expected) => {
  const header = ['id', 'filename', 'md5', 'size', 'state']
  const row = [id('f1'), 'a.bin', '0'.repeat(32), size, 'released']
  const { documents, intake } = await documentsOf([tsv('m.txt', header, row)])
  expect(documents.files?.[0]?.file_size).toBe(expected)
  expect(intake.reports[0]?.columns.every(({ misunderstood }) => misunderstood === 0)).toBe(true)
})

test('depths of reads and days of a study that other programs wrote as decimals are whole', async () => {
  const depths = ['t_depth', 't_ref_count', 't_alt_count', 'n_depth']
  const header = ['patientID', 'years_to_birth', 'vital_status', 'days_to_death']
  const { documents, assembled } = await documentsOf([
    tsv(
      'depth.maf',
      [...MAF, ...depths],
      [...mutation('PINE-1'), '34.0', '2e1', '14.', 'nan'],
      [...mutation('PINE-1', '8'), '1e+05', '99990.0', '10', '50'],
    ),
    tsv('study.tsv', [...header, 'days_to_last_followup'], ['PINE-1', '60', '1', '512.0', 'NA']),
  ])
  const found = (documents.ssm_occurrences ?? []).map((one) => {
    const { observation } = one.case as { observation: readonly { read_depth: object }[] }
    return observation[0]?.read_depth
  })
  expect(found).toEqual(
    expect.arrayContaining([
      { t_depth: 34, t_ref_count: 20, t_alt_count: 14 },
      { t_depth: 100_000, t_ref_count: 99_990, t_alt_count: 10, n_depth: 50 },
    ]),
  )
  expect(documents.cases).toMatchObject([
    { demographic: { vital_status: 'Dead', days_to_death: 512 } },
  ])
  expect(assembled.aliveWithDeath).toBe(0)
})

test.each(['abc', '22,280', '>89', '1.5 MB', 'not reported', 'Unknown'])(
  'the number %j is not understood, told, and left out',
  async (text) => {
    const header = ['cases.case_id', 'diagnoses.diagnosis_id', 'diagnoses.age_at_diagnosis']
    const table = tsv('c.tsv', header, [id('11'), id('d1'), text])
    const record = { diagnosis_id: id('d1'), age_at_diagnosis: text }
    for (const [source, name] of [
      [table, 'diagnoses.age_at_diagnosis'],
      [json([{ case_id: id('11'), diagnoses: [record] }]), 'diagnoses.age_at_diagnosis'],
    ] as const) {
      const { documents, intake } = await documentsOf([source])
      const [{ diagnoses } = {}] = documents.cases ?? []
      expect((diagnoses as { age_at_diagnosis?: unknown }[])[0]?.age_at_diagnosis ?? null).toBe(
        null,
      )
      expect(intake.reports[0]?.columns).toContainEqual(
        expect.objectContaining({
          name,
          misunderstood: 1,
          examples: [expect.objectContaining({ cell: text })],
        }),
      )
    }
  },
)

test('a column that occurs twice is refused with both places, unless both are equal', async () => {
  const header = [...MAF, 't_depth', 'Start_Position']
  const row = (start: string) => [...mutation('TCGA-AA-0001-01A'), '34', start]
  await expect(documentsOf([tsv('a.maf', header, row('7675000'))])).rejects.toThrow(
    'column Start_Position occurs twice in line 1, as columns 4 and 10, which differ in line 2; keep one',
  )
  const { documents } = await documentsOf([tsv('a.maf', header, row('7675088'))])
  expect(documents.ssms).toMatchObject([{ start_position: 7_675_088 }])
})

test.each([
  [
    'manifest',
    ['id', 'filename', 'md5', 'size', 'state', 'size'],
    [id('f1'), 'a.bin', '0', '5', '', '7'],
    'size occurs twice in line 1, as columns 4 and 6',
  ],
  [
    'clinical',
    ['cases.case_id', 'demographic.vital_status', 'demographic.vital_status'],
    [id('11'), 'Dead', 'Alive'],
    'demographic.vital_status occurs twice in line 1, as columns 2 and 3',
  ],
  [
    'survival',
    ['sample', 'OS', 'OS.time', 'OS'],
    ['P', '1', '9', '0'],
    'OS occurs twice in line 1, as columns 2 and 4',
  ],
])('a %s table with a column that occurs twice is refused', async (_, header, row, message) => {
  await expect(documentsOf([tsv('a.tsv', header, row)])).rejects.toThrow(message)
})

// write.table(data.frame("_PATIENT" = "PINE-0001", sample = "PINE-0001-T1", OS = 1, OS.time = 20, note = '5" x, y'), sep = ",", row.names = FALSE)
test('a table between commas may have quotes as R writes them', async () => {
  const content =
    '"_PATIENT","sample","OS","OS.time","note"\n"PINE-0001","PINE-0001-T1",1,20,"5\\" x, y"\n'
  const { documents, intake } = await documentsOf([{ name: 's.csv', content }])
  expect(documents.cases).toMatchObject([{ demographic: { days_to_death: 20 } }])
  expect(intake.reports).toMatchObject([{ rows: 1, badRows: 0 }])
})

// The same with 'b",c', which is written in the same way as the two cells "b\\" and c" would be.
test('is refused where a backslash may be of the text or of its quote', async () => {
  const content =
    '"_PATIENT","sample","OS","OS.time","note"\n"PINE-0001","PINE-0001-T1",1,20,"b\\",c"\n'
  await expect(documentsOf([{ name: 's.csv', content }])).rejects.toThrow(
    'line 2, column 6 has a quote inside a text',
  )
})

test('lists of case tables have | between their values', async () => {
  const header = ['cases.case_id', 'diagnoses.diagnosis_id', 'diagnoses.sites_of_involvement']
  const rows = [
    [id('11'), id('d1'), 'Kidney, Upper Pole|Kidney, Middle'],
    [id('11'), id('d2'), 'Skin'],
  ]
  const { documents } = await documentsOf([tsv('c.tsv', header, ...rows)])
  expect(documents.cases).toMatchObject([
    {
      diagnoses: [
        { sites_of_involvement: ['Kidney, Upper Pole', 'Kidney, Middle'] },
        { sites_of_involvement: ['Skin'] },
      ],
    },
  ])
})

const GENES = json([
  { gene_id: 'ENSG00000141510', symbol: 'TP53', gene_chromosome: '17', gene_start: 5, gene_end: 9 },
])
const CALLS = ['Gene Symbol', 'Locus ID', 'Cytoband', 'TCGA-AA-0001-01A']

test('symbols that the gene model does not have are told, dates by name', async () => {
  const rows = ['TP53', 'tp53', '1-Mar', 'MARCH1'].map((symbol) => [symbol, '7', '17p', '-1'])
  const { assembled } = await documentsOf([GENES, tsv('calls.txt', CALLS, ...rows)])
  expect(assembled.unknownSymbols).toEqual({
    count: 3,
    first: ['1-Mar', 'MARCH1', 'tp53'].map((name) => ({ name, count: 1 })),
    dates: ['1-Mar'],
  })
})

test.each(['1-Mar', 'TP53', 'PLCXD1|ENSG00000182378.14'])(
  'two rows of the gene %s are never made one',
  async (gene) => {
    const rows = [
      [gene, '55016', '4q32.2', '-1'],
      [gene, '64757', '1q41', '2'],
    ]
    await expect(documentsOf([tsv('calls.txt', CALLS, ...rows)])).rejects.toThrow(
      /lines 2 and 3 are both of gene /,
    )
  },
)

test.each([
  ['UTF-16', Buffer.from('\ufeffa\tb\n', 'utf16le'), 'it is text in UTF-16'],
  [
    'tar',
    Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(300)]),
    'tar archive',
  ],
  [
    'Excel',
    Buffer.from(`PK\u0003\u0004${'\0'.repeat(26)}xl/workbook.xml`),
    'Excel workbook; save its sheet',
  ],
  ['bzip2', Buffer.from('BZh91AY&SY'), 'compressed with bzip2'],
])('%s is named as what it is', async (_, content, reason) => {
  const { intake } = await documentsOf([{ name: 'a.tsv', content }])
  expect(intake.reports).toMatchObject([{ notTaken: expect.stringContaining(reason) }])
})

test('a column that pandas and R have numbered is the same again, unless it is of a sample', async () => {
  const row = mutation('PINE-1')
  const numbered = [...MAF, 'Start_Position.1']
  await expect(documentsOf([tsv('a.maf', numbered, [...row, '7'])])).rejects.toThrow(
    'column Start_Position occurs twice in line 1, as columns 4 and 9 (as Start_Position.1, which is how pandas and R number it), which differ in line 2; keep one',
  )
  const equal = await documentsOf([tsv('a.maf', numbered, [...row, '7675088'])])
  expect(equal.documents.ssms).toHaveLength(1)
  const twice = ['cases.case_id', 'demographic.vital_status', 'demographic.vital_status.1']
  await expect(documentsOf([tsv('c.tsv', twice, [id('11'), 'Alive', 'Dead'])])).rejects.toThrow(
    'demographic.vital_status occurs twice',
  )
})

test('a member that a record of JSON has twice is none of which one counts', async () => {
  const text = (status: string) =>
    `{"case_id":"${id('11')}","note":"\\"vital_status\\": of","demographic":{${status}}}`
  const member = '"vital_status":"Dead","vital\\u005fstatus" : "Alive"'
  const { documents, intake } = await documentsOf([{ name: 'a.json', content: text(member) }], {
    maxErrors: 9,
  })
  expect(documents.cases).toBeUndefined()
  expect(intake.badRows).toMatchObject([
    { reason: '"vital_status" occurs twice in one object of the record; keep one' },
  ])
  const once = await documentsOf([{ name: 'a.json', content: text('"vital_status":"Dead"') }])
  expect(once.documents.cases).toMatchObject([{ demographic: { vital_status: 'Dead' } }])
})

test('a record of many levels is a bad row, and the others are read', async () => {
  const nested = `${'{"a":['.repeat(5000)}${']}'.repeat(5000)}`
  const cases = [`{"case_id":"a","odd":${nested}}`, '{"case_id":"b"}']
  const files = [{ name: 'a.json', content: `[${cases.join(',')}]` }]
  const { documents, intake } = await documentsOf(files, { maxErrors: 9 })
  expect(documents.cases).toMatchObject([{ case_id: 'b' }])
  expect(intake.badRows).toMatchObject([{ reason: 'the record is nested in more than 100 levels' }])
})

test('columns of calls whose names differ in case alone are refused as one sample', async () => {
  const header = ['Hugo_Symbol', 'PINE-0001-T1', 'pine-0001-t1']
  const { intake } = await documentsOf([PATIENT, tsv('calls.txt', header, ['TP53', '-2', '2'])])
  expect(intake.reports.map(({ notTaken }) => notTaken)).toEqual([
    undefined,
    'its columns "PINE-0001-T1" and "pine-0001-t1" are of one sample; remove one of them',
  ])
})
