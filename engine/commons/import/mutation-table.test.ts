import { expect, test } from 'vitest'
import { documentsOf, json, tsv } from '../../../test/commons/import/support/documents.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'

const C1 = 'c1000000-0000-4000-8000-000000000001'
const BARCODE = 'TCGA-AA-0001-01A-11D-A001-08'

/** Returns a table from rows keyed by column. Missing cells are empty. */
function maf(name: string, ...rows: readonly Readonly<Record<string, string>>[]) {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return tsv(name, header, ...rows.map((row) => header.map((column) => row[column] ?? '')))
}

const PLAIN = {
  Hugo_Symbol: 'RYR2',
  Chromosome: '1',
  Start_Position: '240211162',
  End_Position: '240211162',
  Reference_Allele: 'T',
  Tumor_Seq_Allele2: 'A',
  Tumor_Sample_Barcode: BARCODE,
}

const FULL = {
  ...PLAIN,
  Center: 'HSC',
  NCBI_Build: 'GRCh38',
  Chromosome: 'chr1',
  dbSNP_RS: 'rs12',
  Tumor_Seq_Allele1: 'T',
  Tumor_Sample_UUID: 'S1',
  Mutation_Status: 'Somatic',
  Gene: 'ENSG1',
  Transcript_ID: 'ENST2',
  CANONICAL: 'YES',
  One_Consequence: 'missense_variant',
  HGVSp_Short: 'p.V600E',
  CDS_position: '1799/2301',
  RefSeq: 'NM_1.1;NM_2.1',
  SIFT: 'deleterious_low_confidence(0.01)',
  PolyPhen: 'benign(0.001)',
  IMPACT: 'MODERATE',
  COSMIC: 'COSM2;COSM1',
  t_depth: '105',
  t_ref_count: '92',
  t_alt_count: '13',
  n_depth: '',
  all_effects:
    'RYR2,missense_variant,p.V600E,ENST2,NM_1.1;RYR2,intron_variant,,ENST1,;OTHER,downstream_gene_variant,,ENST3,',
  case_id: C1,
}

test('a row is an occurrence, its mutation with consequences, and the name of its case', async () => {
  const { documents } = await documentsOf([maf('x.maf', FULL)])
  const [ssm] = documents.ssms ?? []
  const [occurrence] = documents.ssm_occurrences ?? []
  const made = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)
  expect(ssm).toEqual({
    ssm_id: made,
    chromosome: 'chr1',
    start_position: 240211162,
    end_position: 240211162,
    reference_allele: 'T',
    tumor_allele: 'A',
    agency_build: 'GRCh38',
    mutation_type: 'Simple Somatic Mutation',
    mutation_subtype: 'Single base substitution',
    genomic_dna_change: 'chr1:g.240211162T>A',
    gene_aa_change: ['RYR2 V600E'],
    catalog_id: ['COSM1', 'COSM2', 'rs12'],
    consequence: [
      {
        consequence_id: made,
        transcript: {
          transcript_id: 'ENST1',
          consequence_type: 'intron_variant',
          ref_seq_accession: '',
          annotation: { transcript_id: 'ENST1' },
          gene: { symbol: 'RYR2', gene_id: 'ENSG1' },
        },
      },
      {
        consequence_id: made,
        transcript: {
          transcript_id: 'ENST2',
          consequence_type: 'missense_variant',
          aa_change: 'V600E',
          aa_start: 600,
          aa_end: 600,
          is_canonical: true,
          ref_seq_accession: 'NM_1.1&NM_2.1',
          annotation: {
            transcript_id: 'ENST2',
            hgvsp_short: 'p.V600E',
            cds_position: '1799/2301',
            cds_start: 1799,
            cds_end: 1799,
            cds_length: 2301,
            dbsnp_rs: 'rs12',
            vep_impact: 'MODERATE',
            sift_impact: 'deleterious_low_confidence',
            sift_score: 0.01,
            polyphen_impact: 'benign',
            polyphen_score: 0.001,
          },
          gene: { symbol: 'RYR2', gene_id: 'ENSG1' },
        },
      },
      {
        consequence_id: made,
        transcript: {
          transcript_id: 'ENST3',
          consequence_type: 'downstream_gene_variant',
          ref_seq_accession: '',
          annotation: { transcript_id: 'ENST3' },
          gene: { symbol: 'OTHER' },
        },
      },
    ],
  })
  expect(occurrence).toEqual({
    ssm_occurrence_id: made,
    ssm: { ssm_id: ssm?.ssm_id },
    case: {
      case_id: C1,
      observation: [
        {
          observation_id: made,
          center: 'HSC',
          mutation_status: 'Somatic',
          read_depth: { t_depth: 105, t_ref_count: 92, t_alt_count: 13 },
          sample: { tumor_sample_barcode: BARCODE, tumor_sample_uuid: 'S1' },
          tumor_genotype: { tumor_seq_allele1: 'T', tumor_seq_allele2: 'A' },
        },
      ],
    },
  })
  expect(documents.cases).toMatchObject([
    { case_id: C1, submitter_id: 'TCGA-AA-0001', available_variation_data: ['ssm'] },
  ])
})

test('a table with few columns gives what it has; the reference is told by the name of its file', async () => {
  const row = {
    ...PLAIN,
    Variant_Classification: 'Silent',
    Transcript_ID: 'ENST2',
    HGVSc: '.',
    HGVSp_Short: 'p.%3D',
    t_ref_count: '9',
    IMPACT: 'LOW',
  }
  const { documents, intake } = await documentsOf([maf('x.grch37.muse.maf', row)])
  expect(documents.ssms).toEqual([
    expect.objectContaining({
      agency_build: 'GRCh37',
      chromosome: 'chr1',
      catalog_id: null,
      gene_aa_change: [],
      consequence: [
        {
          consequence_id: expect.any(String),
          transcript: {
            transcript_id: 'ENST2',
            consequence_type: 'synonymous_variant',
            annotation: { transcript_id: 'ENST2', hgvsp_short: 'p.=', vep_impact: 'LOW' },
            gene: { symbol: 'RYR2' },
          },
        },
      ],
    }),
  ])
  expect(documents.ssm_occurrences).toMatchObject([
    {
      case: {
        observation: [
          { read_depth: { t_ref_count: 9 }, variant_calling: { variant_caller: 'muse' } },
        ],
      },
    },
  ])
  expect(intake.reports).toMatchObject([{ kind: 'mutation table (MAF)', unknownFields: [] }])
})

// The notation is that of HGVS (https://hgvs-nomenclature.org), DNA level.
test.each([
  ['12', '12', 'C', 'G', 'Single base substitution', 'chr1:g.12C>G'],
  ['12', '12', 'C', '-', 'Small deletion', 'chr1:g.12delC'],
  ['12', '14', 'CAT', '-', 'Small deletion', 'chr1:g.12_14delCAT'],
  ['12', '13', '-', 'GA', 'Small insertion', 'chr1:g.12_13insGA'],
  ['12', '13', 'CA', 'TT', 'Multiple base substitution', 'chr1:g.12_13delinsTT'],
  ['12', '14', 'CAT', 'TTG', 'Multiple base substitution', 'chr1:g.12_14delinsTTG'],
  ['12', '12', 'C', 'CTG', 'Small insertion', 'chr1:g.12_13insTG'],
  ['12', '14', 'CAT', 'C', 'Small deletion', 'chr1:g.13_14delAT'],
  ['12', '14', 'CAT', 'CAG', 'Multiple base substitution', 'chr1:g.12_14delinsCAG'],
  ['12', '14', 'CAT', 'T', 'Small deletion', 'chr1:g.12_14delinsT'],
  ['12', '12', 'C', 'TTT', 'Small insertion', 'chr1:g.12delinsTTT'],
])('%s-%s %s to %s is a %s, %s', async (start, end, reference, tumour, subtype, text) => {
  const row = {
    ...PLAIN,
    Start_Position: start,
    End_Position: end,
    Reference_Allele: reference,
    Tumor_Seq_Allele2: tumour,
  }
  const { documents } = await documentsOf([maf('x.maf', row)])
  expect(documents.ssms).toMatchObject([{ mutation_subtype: subtype, genomic_dna_change: text }])
})

test('effects with impact, predictions and canonical transcript give all of that', async () => {
  const effect = 'RYR2,missense_variant,p.A1T,ENST1,NM_1.1,c.1G>A,MODERATE,YES,tolerated(0.3),,-1'
  const { documents } = await documentsOf([maf('x.maf', { ...PLAIN, all_effects: effect })])
  expect(documents.ssms).toMatchObject([
    {
      consequence: [
        {
          transcript: {
            is_canonical: true,
            annotation: { hgvsc: 'c.1G>A', vep_impact: 'MODERATE', sift_impact: 'tolerated' },
          },
        },
      ],
    },
  ])
})

test('one reference is one under all of its names, and another one makes another mutation', async () => {
  const builds = ['GRCh37', '37', 'hg19', 'GRCh37-lite', 'GRCh38', 'hg38']
  const { documents } = await documentsOf([
    maf('x.maf', ...builds.map((build) => ({ ...PLAIN, NCBI_Build: build }))),
  ])
  expect((documents.ssms ?? []).map((each) => each.agency_build).sort()).toEqual([
    'GRCh37',
    'GRCh38',
  ])
  expect(documents.ssm_occurrences).toHaveLength(2)
})

test('a case is the same by its id and by its barcode, and a name that is no barcode is whole', async () => {
  const byName = maf('a.maf', PLAIN, { ...PLAIN, Tumor_Sample_Barcode: 'P-0001-T01' })
  const byId = maf('b.maf', { ...PLAIN, case_id: C1.toUpperCase() })
  for (const sources of [
    [byName, byId],
    [byId, byName],
  ]) {
    const { documents } = await documentsOf(sources)
    expect(documents.ssms).toHaveLength(1)
    const cases = (documents.cases ?? []).map((each) => [each.case_id, each.submitter_id])
    expect(cases).toContainEqual([C1, 'TCGA-AA-0001'])
    expect(cases).toContainEqual([expect.any(String), 'P-0001-T01'])
    expect(cases).toHaveLength(2)
    const links = (documents.ssm_occurrences ?? []).map((each) => (each.case as JsonObject).case_id)
    expect(links.sort()).toEqual(cases.map(([id]) => id).sort())
  }
})

test('the case that the release knows by that name is the one', async () => {
  const known = json([{ case_id: C1, submitter_id: 'TCGA-AA-0001', disease_type: 'd' }])
  const { documents, assembled } = await documentsOf([maf('a.maf', PLAIN), known])
  expect(documents.cases).toMatchObject([{ case_id: C1, disease_type: 'd' }])
  expect(documents.ssm_occurrences).toMatchObject([{ case: { case_id: C1 } }])
  expect(assembled.datasets.cases.dangling).toBe(0)
})

test('genes are named by the gene model, unless a symbol stands for several', async () => {
  const model = tsv(
    'genes.tsv',
    ['gene_id', 'symbol', 'biotype', 'chromosome', 'start', 'end'],
    ['G1', 'RYR2', 'protein_coding', 'chr1', '1', '9'],
    ['G2', 'RYR2', 'protein_coding', 'chr2', '1', '9'],
    ['G3', 'Y_RNA', 'misc_RNA', 'chr1', '1', '9'],
    ['G4', 'Y_RNA', 'misc_RNA', 'chr1', '20', '29'],
  )
  const all_effects = 'RYR2,stop_lost,,T1,;Y_RNA,intron_variant,,T2,'
  const { documents } = await documentsOf([maf('a.maf', { ...PLAIN, all_effects }), model])
  expect(documents.ssms?.[0]?.consequence).toMatchObject([
    { transcript: { gene: { symbol: 'RYR2', gene_id: 'G1', biotype: 'protein_coding' } } },
    { transcript: { gene: { symbol: 'Y_RNA' } } },
  ])
  expect(JSON.stringify(documents.ssms)).not.toMatch(/G3|G4/)
})

test('rows that say no mutation are told by file and line', async () => {
  const { intake, documents } = await documentsOf(
    [
      maf(
        'a.maf',
        PLAIN,
        { ...PLAIN, Chromosome: '' },
        { ...PLAIN, Start_Position: '13', End_Position: '12' },
        { ...PLAIN, Tumor_Seq_Allele2: 'T' },
        { ...PLAIN, Reference_Allele: '<DEL>' },
        { ...PLAIN, Tumor_Sample_Barcode: '' },
      ),
    ],
    { maxErrors: 5 },
  )
  expect(intake.badRows.map(({ line, reason }) => [line, reason])).toEqual([
    [3, 'the row has no chromosome'],
    [4, 'start and end are no span: 13 to 12'],
    [5, 'the tumour has the reference allele'],
    [6, 'the alleles "<DEL>" and "A" are neither bases nor "-"'],
    [7, 'the row names no case: no case_id and no barcode'],
  ])
  expect(documents.ssm_occurrences).toHaveLength(1)
})

test('mutations that other sources give keep their form', async () => {
  const given = {
    ssm_id: 'v1',
    gene_aa_change: ['B C2D', 'A C1D'],
    consequence: [
      { transcript: { transcript_id: 'z' } },
      { transcript: { transcript_id: 'a', aa_change: 'C1D', gene: { symbol: 'X' } } },
    ],
  }
  const { documents } = await documentsOf([json([given])])
  expect(documents.ssms).toEqual([given])
})

test('a place that is none, and a depth below zero, are told', async () => {
  const places = ['0', '1,7', '-', 'chr', 'GL000220.1', 'HLA-A*01:01', '1']
  const rows = places.map((Chromosome) => ({ ...PLAIN, Chromosome, t_depth: '-5' }))
  const { documents, intake } = await documentsOf([maf('a.maf', ...rows)], { maxErrors: 9 })
  const found = documents.ssms?.map(({ chromosome }) => chromosome)
  expect(found?.toSorted()).toEqual(['chr1', 'chrGL000220.1', 'chrHLA-A*01:01'])
  expect(intake.badRows.map(({ line }) => line)).toEqual([2, 3, 4, 5])
  const depth = intake.reports[0]?.columns.find(({ name }) => name === 't_depth')
  expect(depth).toMatchObject({ taken: 0, misunderstood: places.length })
  expect(JSON.stringify(documents.ssm_occurrences)).not.toContain('t_depth')
})

// The public commons gives five bases before and after, Oncotator ten.
test.each([
  ['CONTEXT', 'AAAAGTCAAAA', 'GTC'],
  ['ref_context', 'CCCCCCCCCatgGGGGGGGGG', 'ATG'],
  ['CONTEXT', 'AAAAGACAAAA', undefined],
  ['CONTEXT', 'AAAANTCAAAA', undefined],
  ['CONTEXT', 'T', undefined],
])('%s %s gives the context %s of a substitution of T', async (column, bases, kept) => {
  const { documents } = await documentsOf([maf('x.maf', { ...PLAIN, [column]: bases })])
  expect(documents.ssms?.map((one) => one.reference_context)).toEqual([kept])
})
