import { expect, test } from 'vitest'
import type { GivenSource } from '../../../test/commons/import/support/documents.ts'
import { documentsOf, json, tsv } from '../../../test/commons/import/support/documents.ts'

// Cells as programs and people write them. Each is read by a rule that the report names, or counted as not
// understood.

const id = (n: number) => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`

/** Returns the documents of a table, and the report on each of its columns. */
async function read(...sources: GivenSource[]) {
  const { documents, intake, assembled } = await documentsOf(sources, { maxErrors: 99 })
  const columns = new Map(intake.reports.at(-1)?.columns.map((column) => [column.name, column]))
  const told = (name: string) => {
    const { changed = [], misunderstood = 0, examples = [] } = columns.get(name) ?? {}
    return {
      changed: Object.fromEntries(changed.map(({ name: rule, count }) => [rule, count])),
      misunderstood,
      cells: examples.map(({ cell }) => cell),
    }
  }
  return { documents, intake, assembled, told }
}

const MAF = [
  ...['Hugo_Symbol', 'NCBI_Build', 'Chromosome', 'Start_Position', 'End_Position', 'Gene'],
  ...['Variant_Classification', 'Reference_Allele', 'Tumor_Seq_Allele2', 'Tumor_Sample_Barcode'],
  ...['HGVSp_Short', 't_depth', 'Mutation_Status'],
]
const DEFAULTS = {
  ...{ Hugo_Symbol: 'TP53', NCBI_Build: 'GRCh38', Chromosome: 'chr17', Start_Position: '100' },
  ...{ End_Position: '100', Reference_Allele: 'C', Tumor_Seq_Allele2: 'T' },
  Tumor_Sample_Barcode: 'PINE-1',
  Variant_Classification: 'Missense_Mutation',
}
const maf = (...rows: Readonly<Record<string, string>>[]) =>
  tsv('a.maf', MAF, ...rows.map((row) => MAF.map((name) => ({ ...DEFAULTS, ...row })[name] ?? '')))

const clinical = (...rows: Readonly<Record<string, string>>[]) => {
  const header = ['cases.case_id', ...new Set(rows.flatMap((row) => Object.keys(row)))]
  return tsv(
    'c.tsv',
    header,
    ...rows.map((row, i) =>
      header.map((name) => ({ 'cases.case_id': id(i + 1), ...row })[name] ?? ''),
    ),
  )
}

const NOTHING_TOLD = 'such as nan or None, taken for no value'

test('nan, None and null are no texts, unless the data model has None', async () => {
  const rows = ['nan', 'None', 'null', '<NA>', '#N/A'].map((HGVSp_Short) => ({ HGVSp_Short }))
  const { documents, told } = await read(maf(...rows, { Mutation_Status: 'None' }))
  expect(JSON.stringify(documents.ssms)).not.toContain('hgvsp_short')
  expect(told('HGVSp_Short').changed).toEqual({ [NOTHING_TOLD]: 5 })
  expect(JSON.stringify(documents.ssm_occurrences)).toContain('"mutation_status":"None"')
  const None = { 'follow_ups.follow_up_id': id(50), 'follow_ups.first_event': 'None' }
  const table = await read(clinical({ ...None, 'cases.disease_type': 'None' }))
  expect(table.documents.cases?.[0]).toMatchObject({ follow_ups: [{ first_event: 'None' }] })
  expect(table.documents.cases?.[0]).not.toHaveProperty('disease_type')
})

test('no patient is called nan, #REF! or by the apostrophe of a spreadsheet', async () => {
  const names = ['nan', 'None', '#N/A', '#REF!', "'PINE-1", 'PINE-1']
  const { documents, intake, told } = await read(
    maf(...names.map((Tumor_Sample_Barcode) => ({ Tumor_Sample_Barcode }))),
  )
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-1'])
  expect(intake.badRows.map(({ line }) => line)).toEqual([2, 3, 4, 5])
  expect(told('Tumor_Sample_Barcode')).toMatchObject({ misunderstood: 1, cells: ['#REF!'] })
})

test('no patient is called by what databases, Windows and forms write for no value', async () => {
  const words = [
    '\\N',
    '(null)',
    'NaT',
    'n.a.',
    '<NULL>',
    '-1.#IND',
    '#N/A N/A',
    '-',
    '?',
    '*',
    '...',
  ]
  const { documents, told } = await read(
    maf(...[...words, 'PINE-1'].map((Tumor_Sample_Barcode) => ({ Tumor_Sample_Barcode }))),
  )
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-1'])
  expect(told('Tumor_Sample_Barcode')).toMatchObject({ misunderstood: 4, cells: ['-', '?', '*'] })
  const numbers = ['\\N', 'NaT', '1.#QNAN', '(null)'].map((t_depth) => ({ t_depth }))
  expect((await read(maf(...numbers))).told('t_depth').misunderstood).toBe(0)
})

test('names that stand for any sample, such as those of vcf2maf, are told', async () => {
  const names = ['TUMOR', 'Unknown', 'PINE-1']
  const { told } = await read(
    maf(...names.map((Tumor_Sample_Barcode) => ({ Tumor_Sample_Barcode }))),
  )
  expect(told('Tumor_Sample_Barcode').changed).toEqual({
    'a word such as TUMOR or unknown, which programs and people write for any sample': 2,
  })
})

test.each([
  'tcga-aa-0001-01a',
  'TCGA.AA.0001.01A',
  'TCGA_AA_0001_01A',
  '\u200bTCGA-AA-0001-01A\u00a0',
])(
  'the barcode %j is of its patient, and the report tells that it was written otherwise',
  async (Tumor_Sample_Barcode) => {
    const patient = json([{ case_id: id(1), submitter_id: 'TCGA-AA-0001' }])
    const { documents, told } = await read(patient, maf({ Tumor_Sample_Barcode }))
    expect(documents.cases?.map((one) => one.case_id)).toEqual([id(1)])
    expect(Object.values(told('Tumor_Sample_Barcode').changed)).toEqual([1])
  },
)

test('columns of a matrix that R has renamed are samples of their patients', async () => {
  const patient = json([{ case_id: id(1), submitter_id: 'TCGA-AB-1234' }])
  const header = ['Gene Symbol', 'Locus ID', 'Cytoband', 'TCGA.AB.1234.01A']
  const calls = tsv('all_thresholded.by_genes.txt', header, ['TP53', '7157', '17p13.1', '-1'])
  const { documents } = await read(patient, calls)
  expect(documents.cases).toMatchObject([{ case_id: id(1), available_variation_data: ['cnv'] }])
})

test('characters that nobody sees do not make another gene, chromosome or column', async () => {
  const { name, content } = maf({ Hugo_Symbol: 'TP53\u200b', Chromosome: '\ufeffchr17' })
  const { documents, told } = await read({
    name,
    content: String(content).replace('Hugo_Symbol', 'Hugo_Symbol\u00a0'),
  })
  expect(documents.ssms).toMatchObject([
    { chromosome: 'chr17', consequence: [{ transcript: { gene: { symbol: 'TP53' } } }] },
  ])
  expect(told('Hugo_Symbol').changed).toEqual({ 'written without invisible characters': 1 })
})

test.each([
  ['NC_000017.11', 'chr17'],
  ['NC_000023.11', 'chrX'],
  ['NC_012920.1', 'chrM'],
  ['CHR17', 'chr17'],
  ['NC_000017', 'chr17'],
  ['CM000679.2', 'chr17'],
  ['CM000686.2', 'chrY'],
  ['chr17_KI270729v1_random', 'chr17_KI270729v1_random'],
  ['chr6_GL000250v2_alt', 'chr6_GL000250v2_alt'],
  ['chr6_cox_hap2', 'chr6_cox_hap2'],
  ['HSCHR17_1_CTG5', 'chrHSCHR17_1_CTG5'],
  ['hs37d5', 'chrhs37d5'],
  ['chrEBV', 'chrEBV'],
  ['GL000220.1', 'chrGL000220.1'],
  ['chrUn_KI270742v1', 'chrUn_KI270742v1'],
  ['HLA-A*01:01', 'chrHLA-A*01:01'],
])('the chromosome %s is %s', async (Chromosome, wanted) => {
  expect((await read(maf({ Chromosome }))).documents.ssms).toMatchObject([{ chromosome: wanted }])
})

test.each([
  '0',
  '26',
  '17p13',
  '17q',
  '17p13.1',
  'chr17:100',
  'XY',
  'PAR1',
  'TRUE',
  '17L',
  '17.1',
  '0X',
  'XX',
  'chr17_x',
  'hs17',
  'hsa17',
  'Unknown',
  '1-22',
  'X chromosome',
])('a row whose chromosome is %s is not taken', async (Chromosome) => {
  const { documents, told } = await read(
    maf({ Chromosome }, { Start_Position: '7', End_Position: '7' }),
  )
  expect(documents.ssms).toHaveLength(1)
  expect(told('Chromosome')).toMatchObject({ misunderstood: 1, cells: [Chromosome] })
})

test('a place that does not fit the reference allele, or no chromosome, is not taken', async () => {
  const { intake } = await read(
    maf(
      { End_Position: '190' },
      { Start_Position: '99999999999', End_Position: '99999999999' },
      { Reference_Allele: '-', End_Position: '101' },
    ),
  )
  expect(intake.badRows.map(({ reason }) => reason)).toEqual([
    'start and end span 91 bases, and the reference allele has 1',
    'start and end are no span: 99999999999 to 99999999999',
  ])
})

test('ids of genes in lower case are those in upper case, in tables and in JSON', async () => {
  const gene = { symbol: 'TP53', gene_chromosome: '17', gene_start: 1, gene_end: 9 }
  const model = json([{ gene_id: 'ensg00000141510.18', ...gene }])
  const calls = tsv(
    'c.txt',
    ['Gene Symbol', 'Locus ID', 'Cytoband', 'P1'],
    ['ensg00000141510', '1', '17p', '-1'],
  )
  const { documents } = await read(model, maf({ Gene: 'ensg00000141510' }), calls)
  expect(documents.genes?.map((one) => one.gene_id)).toEqual(['ENSG00000141510'])
  for (const changes of [documents.ssms, documents.cnvs]) {
    expect(JSON.stringify(changes)).toContain('"gene_id":"ENSG00000141510"')
  }
})

test('variant classifications are known in any case, and others are told', async () => {
  const rows = ['MISSENSE_MUTATION', 'Missense'].map((Variant_Classification, i) => ({
    Variant_Classification,
    Start_Position: `${i + 1}`,
    End_Position: `${i + 1}`,
  }))
  const { documents, told } = await read(maf(...rows))
  expect(JSON.stringify(documents.ssms).match(/missense_variant/g)).toHaveLength(1)
  expect(told('Variant_Classification')).toMatchObject({ misunderstood: 1, cells: ['Missense'] })
})

test.each([
  ['demographic.vital_status', '1:DECEASED', 'Dead'],
  ['demographic.vital_status', '0:LIVING', 'Alive'],
  ['demographic.vital_status', 'deceased', 'Dead'],
  ['demographic.gender', 'M', 'male'],
  ['demographic.gender', 'Female', 'female'],
  ['demographic.race', 'BLACK OR AFRICAN AMERICAN', 'black or african american'],
  ['demographic.ethnicity', 'Not Hispanic or Latino', 'not hispanic or latino'],
  ['samples.tissue_type', 'Tumour', 'Tumor'],
  ['samples.sample_type', 'primary tumour', 'Primary Tumor'],
  ['samples.preservation_method', 'ffpe', 'FFPE'],
])('%s %s is %s, in a table and in JSON', async (name, cell, wanted) => {
  const [group = '', field = ''] = name.split('.')
  const ids = group === 'samples' ? { 'samples.sample_id': id(70) } : {}
  const table = await read(clinical({ [name]: cell, ...ids }))
  const entity = { [field]: cell, ...(group === 'samples' && { sample_id: id(70) }) }
  const record = await read(
    json([{ case_id: id(1), [group]: group === 'samples' ? [entity] : entity }]),
  )
  for (const { documents, told } of [table, record]) {
    const [one] = documents.cases ?? []
    const found = one?.[group]
    expect(Array.isArray(found) ? found[0] : found).toMatchObject({ [field]: wanted })
    expect(told(name).changed).toEqual({ 'written as the data model has it': 1 })
  }
})

test('a vital status of another make is empty and not understood; other such terms stay, and are told', async () => {
  const cells = ['1', '0', 'Lost', 'Not Reported', 'unknown']
  const rows = cells.map((cell) => ({
    'demographic.vital_status': cell,
    'demographic.race': 'Martian',
  }))
  const { documents, told } = await read(clinical(...rows))
  const said = documents.cases?.map(
    ({ demographic }) => (demographic as { vital_status?: string | null }).vital_status ?? null,
  )
  expect(said).toEqual([null, null, null, 'Not Reported', 'unknown'])
  expect(told('demographic.vital_status')).toMatchObject({
    misunderstood: 3,
    cells: ['1', '0', 'Lost'],
  })
  expect(JSON.stringify(documents.cases).match(/Martian/g)).toHaveLength(5)
  expect(told('demographic.race').misunderstood).toBe(5)
})

test.each([
  [
    'diagnoses.age_at_diagnosis',
    ['-5', '34 years', '999999', '3,5', '45%'],
    ['12410', "'12410", '1.2410e4'],
  ],
  ['demographic.days_to_death', ['>89', '99999999'], ['-5', '0', '300']],
  ['demographic.days_to_birth', ['500'], ['-20000']],
  ['diagnoses.year_of_diagnosis', ['20009', '9', '2009-03'], ['2009']],
  ['samples.initial_weight', ['-1', '12 mg'], ['1.5']],
  ['pathology_details.percent_tumor_invasion', ['-1', '120', '45%'], ['45']],
])('%s cannot be %j', async (name, bad, good) => {
  const ids = {
    samples: 'sample',
    diagnoses: 'diagnosis',
    pathology_details: 'pathology_detail',
  } as Readonly<Record<string, string>>
  const [group = '', field = ''] = name.split('.')
  const rows = [...bad, ...good].map((cell, i) => ({
    [name]: cell,
    ...(ids[group] !== undefined && { [`${group}.${ids[group]}_id`]: id(100 + i) }),
  }))
  const { documents, intake } = await read(clinical(...rows))
  expect(
    JSON.stringify(documents.cases).match(new RegExp(`"${field}":-?[\\d.]+`, 'g')),
  ).toHaveLength(good.length)
  const counts = intake.reports.flatMap(({ columns }) =>
    columns.map(({ misunderstood }) => misunderstood),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(bad.length)
})

test('ages that look like years are told, and stay as they are', async () => {
  const [diagnosis, days] = ['diagnoses.diagnosis_id', 'diagnoses.age_at_diagnosis']
  const rowsOf = (ages: readonly string[]) =>
    clinical(...ages.map((age, i) => ({ [diagnosis]: id(60 + i), [days]: age })))
  const years = await read(rowsOf(['61', '47.5', '130', '23000', 'NA']))
  expect(years.intake.reports[0]?.doubts).toEqual([
    '3 of 4 values of diagnoses.age_at_diagnosis are within 130, as if they were years; it has days',
    expect.stringContaining('1 values of diagnoses.age_at_diagnosis have a fraction, which stays'),
  ])
  expect(JSON.stringify(years.documents.cases)).toContain('"age_at_diagnosis":47.5')
  // Children of some months beside older children give no doubt, and neither does the age 0.
  const children = await read(rowsOf(['90', '131', '0', '0', '0']))
  expect(children.intake.reports[0]).not.toHaveProperty('doubts')
  const births = json([{ case_id: id(1), demographic: { days_to_birth: -61, age_at_index: 61 } }])
  expect((await read(births)).intake.reports[0]?.doubts).toEqual([
    expect.stringContaining('1 of 1 values of demographic.days_to_birth'),
  ])
})

test('the age of a relative is in years', async () => {
  const history = 'family_histories.relationship_age_at_diagnosis'
  const rows = ['61', '20000'].map((age, i) => ({
    ...{ 'family_histories.family_history_id': id(80 + i), [history]: age },
  }))
  const { intake, told } = await read(clinical(...rows))
  expect(intake.reports[0]).not.toHaveProperty('doubts')
  expect(told(history)).toMatchObject({ misunderstood: 1, cells: ['20000'] })
})

const CALLS = ['Gene Symbol', 'Locus ID', 'Cytoband']
const gene = (name: string, ...calls: string[]) => [name, '1', '17p13.1', ...calls]

test('a line break within a cell of a matrix is refused by name, and one at its end is none', async () => {
  const rows = [gene('TP53', '-1'), gene('"MYC\nMYCL"', '1'), gene('"EGFR\n"', '2')]
  const { documents, intake } = await read(tsv('calls.txt', [...CALLS, 'PINE-1'], ...rows))
  expect(
    JSON.stringify(documents.cnvs)
      .match(/"symbol":"[^"]+"/g)
      ?.toSorted(),
  ).toEqual(['"symbol":"EGFR"', '"symbol":"TP53"'])
  expect(intake.badRows).toMatchObject([
    { line: 3, reason: '"MYC\\nMYCL" is no name of a gene; write it in one line' },
  ])
  const table = tsv('calls.txt', [...CALLS, '"PINE\n1"', 'PINE-2'], gene('TP53', '-1', '0'))
  expect((await read(table)).intake.reports[0]?.notTaken).toBe(
    'its column "PINE\\n1" is no name of a sample; write it in one line',
  )
})

test('a name with a line break is not understood', async () => {
  const barcode = { Tumor_Sample_Barcode: '"PINE\n1"' }
  const { documents, intake, told } = await read(maf(barcode, { HGVSp_Short: '"p.R175H"' }))
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-1'])
  expect(intake.badRows.map(({ line }) => line)).toEqual([2])
  expect(told('Tumor_Sample_Barcode')).toMatchObject({ misunderstood: 1, cells: ['PINE\n1'] })
})

const SYMBOL_TOLD = 'a date or number in place of a symbol'

test('dates and numbers in place of symbols are told, also without a gene model', async () => {
  const symbols = ['1-Mar', '44621', '2.31E+13', '2020-03-01', 'TP53', 'HLA-A', 'MARCHF1']
  const rows = symbols.map((Hugo_Symbol, i) => ({
    ...{ Hugo_Symbol, Start_Position: `${i + 1}`, End_Position: `${i + 1}` },
  }))
  const { documents, told } = await read(maf(...rows))
  expect(told('Hugo_Symbol').changed).toEqual({ [SYMBOL_TOLD]: 4 })
  expect(JSON.stringify(documents.ssms)).toContain('"symbol":"1-Mar"')
  const calls = tsv('calls.txt', ['gene', 'PINE-1'], ['0', '-1'], ['1', '1'], ['TP53', '-1'])
  expect((await read(calls)).told('gene').changed).toEqual({ [SYMBOL_TOLD]: 2 })
})

test('no sample is called as pandas calls a column without a name', async () => {
  const table = (...names: string[]) =>
    tsv('calls.txt', ['gene', ...names], ['TP53', ...names.map(() => '-1')])
  for (const name of ['Unnamed: 2', '...3', '']) {
    const { documents, intake } = await read(table('PINE-1', name), table('PINE-2'))
    expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['PINE-2'])
    expect(intake.reports[0]?.notTaken).toBe('its column 3 has no name')
  }
})

test('letters that were read in a wrong encoding are told', async () => {
  const names = [
    'KÃ¶ln-1',
    'K\ufffdln-2',
    'LinkÃ¶ping \u00c3\u00ad',
    'Köln-4',
    'NÃO-5',
    'Â-6',
    '10 Å²',
  ]
  const rows = names.map((Tumor_Sample_Barcode, i) => ({
    ...{ Tumor_Sample_Barcode, Start_Position: `${i + 1}`, End_Position: `${i + 1}` },
  }))
  const { told } = await read(maf(...rows))
  expect(told('Tumor_Sample_Barcode').changed).toMatchObject({
    'with letters that another program has read in a wrong encoding': 3,
  })
})

test('a row of a survival table without a time, or without the outcome, is told', async () => {
  const header = ['_PATIENT', 'OS', 'OS.time']
  const rows = [
    ['A', '1', ''],
    ['B', '', '300'],
    ['C', 'NA', 'NA'],
    ['D', '1', '300'],
  ]
  const { documents, told } = await read(tsv('s.tsv', header, ...rows))
  expect(documents.cases?.map((one) => one.submitter_id)).toEqual(['D'])
  expect(told('OS').changed).toEqual({
    'left out, because the row has no time': 1,
    'left out, because the row has neither the time nor the outcome': 1,
  })
  expect(told('OS.time').changed).toEqual({
    'left out, because the row does not say whether the patient died': 1,
  })
})

test('times that look like months, and ratios that look like no logarithms, are told', async () => {
  const times = (unit: number) =>
    Array.from({ length: 20 }, (_, i) => [`P${i}`, '1', String((i + 1) * unit)])
  const survival = (unit: number) => tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], ...times(unit))
  const months = 'no value of demographic.days_to_death is above 240, as if they were months'
  expect((await read(survival(12))).intake.reports[0]?.doubts).toEqual([
    expect.stringContaining(months),
  ])
  expect((await read(survival(13))).intake.reports[0]).not.toHaveProperty('doubts')
  const segments = (least: number) =>
    tsv(
      'a.seg',
      ['ID', 'chrom', 'loc.start', 'loc.end', 'seg.mean'],
      ...times(1).map(([, , at = ''], i) => ['P1', '1', at, at, String(i / 10 + least)]),
    )
  expect((await read(segments(0))).intake.reports[0]?.doubts).toEqual([
    expect.stringContaining('no value of seg.mean is below 0, as if they were ratios'),
  ])
  expect((await read(segments(-0.1))).intake.reports[0]).not.toHaveProperty('doubts')
})

test('a sample sheet with other projects than cases is refused by the row', async () => {
  const header = ['File ID', 'File Name', 'Project ID', 'Case ID', 'Sample ID', 'Sample Type']
  const rows = [
    ['P-1, P-2', 'A', 'A-T'],
    ['P-1, P-2', 'A, A', 'A-T, A-N'],
    ['P-1, P-2, P-3', 'A, B', 'A-T, B-T'],
    ['P-1, P-1', 'C', 'C-T'],
    ['P-1, P-2', 'D, E', 'D-T, E-T'],
    ['P-3', 'F, G', 'F-T, G-T'],
  ]
  const sheet = rows.map((cells, i) => [id(i), `${i}.tsv`, ...cells, 'Primary Tumor'])
  const { documents, intake } = await read(tsv('sheet.tsv', header, ...sheet))
  expect(intake.badRows.map(({ reason }) => reason)).toEqual([
    '"A" in "Case ID" has the projects "P-1" and "P-2"',
    '"A" in "Case ID" has the projects "P-1" and "P-2"',
    expect.stringContaining('2 values in "Case ID" and 3 in "Project ID"'),
  ])
  const projects = documents.cases?.map(({ submitter_id, project }) => [
    submitter_id,
    (project as { readonly project_id: string }).project_id,
  ])
  expect(Object.fromEntries(projects ?? [])).toEqual({
    ...{ C: 'P-1', D: 'P-1', E: 'P-2', F: 'P-3', G: 'P-3' },
  })
})

test('a formula around a text is none of it, and what programs made of names is told', async () => {
  const header = ['_PATIENT', 'OS', 'OS.time']
  const names = ['="00123"', '= "a"', '1.23E+05', '123.0', '123', '1.2.3']
  const { documents, told } = await read(
    tsv('s.tsv', header, ...names.map((name) => [name, '="1"', '300'])),
  )
  expect(new Set(documents.cases?.map((one) => one.submitter_id))).toEqual(
    new Set(['00123', ...names.slice(1)]),
  )
  expect(told('_PATIENT').changed).toEqual({
    ...{ 'written without the formula around it': 1, 'a decimal number in place of a name': 2 },
  })
  expect(told('OS').changed).toEqual({ 'written without the formula around it': 6 })
})

test('quotes that are text are told', async () => {
  const rows = [
    ['"A"', '1', '300'],
    ['"B', '1', '300'],
    ['C "x"', '1', '300'],
  ]
  const { documents, told } = await read(tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], ...rows))
  expect(documents.cases).toHaveLength(3)
  expect(told('_PATIENT').changed).toEqual({
    'with a quote before it, which is text because the table is not quoted': 2,
  })
})

test('a gene with two numbers of copies in a sample is refused by its second row', async () => {
  const header = ['gene_id', 'gene_name', 'chromosome', 'start', 'end', 'copy_number', 'Sample']
  const row = (version: number, copies: string, sample: string) => [
    ...[`ENSG00000141510.${version}`, 'TP53', 'chr17', '1', '9', copies, sample],
  ]
  const rows = [row(1, '3', 'P1-A'), row(2, '1', 'P1-A'), row(3, '3', 'P1-A'), row(2, '1', 'P1-B')]
  const samples = ['P1-A', 'P1-B'].map((submitter_id, i) => ({
    sample_id: id(40 + i),
    submitter_id,
  }))
  const patient = json([{ case_id: id(1), submitter_id: 'P1', samples }])
  const { documents, intake } = await read(patient, tsv('a.tsv', header, ...rows))
  expect(documents.cases).toHaveLength(1)
  expect(documents.cnv_occurrences).toHaveLength(2)
  expect(intake.badRows).toMatchObject([
    { line: 3, reason: 'gene ENSG00000141510 has 3 copies in line 2, and 1 here' },
  ])
})

test('dates that spreadsheets make of texts are told, and dates of other forms are none', async () => {
  const cells = ['Aug-03', '8-Mar', '2-Jan-2020', '8500/3', 'May-be', '2020-03-01', 'x-Mar']
  const { documents, told } = await read(
    clinical(
      ...cells.map((cell, i) => ({
        ...{ 'diagnoses.diagnosis_id': id(60 + i), 'diagnoses.morphology': cell },
      })),
    ),
  )
  expect(JSON.stringify(documents.cases)).toContain('"morphology":"Aug-03"')
  expect(told('diagnoses.morphology').changed).toEqual({
    'a date such as Aug-03, which a spreadsheet has made of another text': 3,
  })
})

test('an access that is none is told and stays, so that no rule opens the file', async () => {
  const header = ['file_id', 'file_name', 'access', 'data_type']
  const given = ['Open', 'CONTROLLED', 'controled', 'NA']
  const rows = given.map((access, i) => [id(i), `${i}.fpkm_uq.tsv`, access, 'Masked Somatic X'])
  const { documents, told } = await read(tsv('files.tsv', header, ...rows))
  expect(documents.files?.map(({ access }) => access)).toEqual([
    ...['open', 'controlled', 'controled', 'open'],
  ])
  expect(told('access')).toMatchObject({ misunderstood: 1, cells: ['controled'] })
})

test.each([`['Kidney', 'Skin']`, '["Kidney","Skin"]', 'c("Kidney", "Skin")', '[Kidney, Skin]'])(
  'the list %s of another program is one text, and the report tells so',
  async (cell) => {
    const rows = { 'diagnoses.diagnosis_id': id(50), 'diagnoses.sites_of_involvement': cell }
    const { told } = await read(clinical(rows))
    expect(told('diagnoses.sites_of_involvement').changed).toEqual({
      'a list as Python or R write it, taken as one text': 1,
    })
  },
)

test('brackets of a text are no list', async () => {
  const cells = ['colon (left, right)', '[Withdrawn]', 'c.524G>A', 'lung [upper], left', 'cyst']
  const { told } = await read(clinical(...cells.map((site) => ({ 'cases.primary_site': site }))))
  expect(told('cases.primary_site').changed).toEqual({})
})

test('rows that a spreadsheet has emptied are none', async () => {
  const { documents, intake } = await read(
    tsv(
      'a.maf',
      MAF,
      ...[1, 2, 3].map((row) =>
        MAF.map((name) => (row === 2 ? (DEFAULTS[name as keyof typeof DEFAULTS] ?? '') : ' ')),
      ),
    ),
  )
  expect(documents.ssms).toHaveLength(1)
  expect([intake.reports[0]?.rows, intake.badRows]).toEqual([1, []])
})

test('quotes of one stroke are text, and are told', async () => {
  const { told } = await read(maf({ Tumor_Sample_Barcode: "'PINE-1'" }, { Hugo_Symbol: "'" }))
  expect(told('Tumor_Sample_Barcode').changed).toEqual({
    'with a quote before it, which is text because the table is not quoted': 1,
  })
  expect(told('Hugo_Symbol').changed).toEqual({})
})
