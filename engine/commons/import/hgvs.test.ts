import { describe, expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../test/commons/import/support/documents.ts'
import { isCodingChange, isLongChange, isShortChange, longChange, shortChange } from './hgvs.ts'

// Pairs as VEP and vcf2maf write them into HGVSp and HGVSp_Short, in the public mutation tables of
// shared/data/mutations, and the examples of hgvs-nomenclature.org/stable/recommendations/protein/.
const PAIRS = [
  ['p.Glu36Asp', 'p.E36D'],
  ['p.Ter1423ArgextTer3', 'p.*1423Rext*3'],
  ['p.Ter166GlnextTer?', 'p.*166Qext*?'],
  ['p.Met1?', 'p.M1?'],
  ['p.Met503IlefsTer9', 'p.M503Ifs*9'],
  ['p.Arg97fs', 'p.R97fs'],
  ['p.Gln43_Ala47del', 'p.Q43_A47del'],
  ['p.Asp162_Pro163delinsAla', 'p.D162_P163delinsA'],
  ['p.Gln61_Trp64delinsHisTer', 'p.Q61_W64delinsH*'],
  ['p.His308_Phe309insLysPhe', 'p.H308_F309insKF'],
  ['p.Ala297dup', 'p.A297dup'],
  ['p.Sec60Ter', 'p.U60*'],
  ['p.Met1ext-5', 'p.M1ext-5'],
  ['p.=', 'p.='],
  ['p.0?', 'p.0?'],
] as const

describe.each(PAIRS)('%s and %s', (long, short) => {
  test('are one change with three letters and with one', () => {
    expect([shortChange(long), shortChange(short)]).toEqual([short, short])
    expect([longChange(long), longChange(short)]).toEqual([long, long])
    expect([isLongChange(long), isShortChange(short)]).toEqual([true, true])
  })
})

test.each([
  ['p.(Arg175His)', 'p.R175H'],
  ['(Arg175His)', 'p.R175H'],
  ['ENSP00000269305.4:p.(Arg175His)', 'p.R175H'],
  ['NP_000537.3:p.Arg175His', 'p.R175H'],
  ['NM_000546.6(TP53):p.(Arg175His)', 'p.R175H'],
  ['R175H', 'p.R175H'],
  ['*780R', 'p.*780R'],
  ['p.Arg97ProfsX23', 'p.R97Pfs*23'],
  ['p.Sec60*', 'p.U60*'],
  ['p.Arg471=', 'p.R471R'],
  ['p.%3D', 'p.='],
  ['p.X221_splice', 'p.X221_splice'],
])('%s is %s with one letter for each amino acid', (given, short) => {
  expect(shortChange(given)).toBe(short)
  expect(isShortChange(short)).toBe(true)
})

test.each([
  ...['p.[Arg175His;Pro72Arg]', 'MUTATED', 'Fusion', 'c.524G>A', 'p.', 'p.Foo175Bar', 'p.r175h'],
])('%s is no protein change, and stays as it is', (text) => {
  expect([shortChange(text), longChange(text)]).toEqual([text, text])
  expect([isShortChange(text), isLongChange(text)]).toEqual([false, false])
})

test('changes of coding DNA are those of transcripts', () => {
  for (const change of ['c.1413C>T', 'c.*59G>A', 'c.-86+433T>C', 'n.256-900T>C', 'c.52dup']) {
    expect(isCodingChange(change), change).toBe(true)
  }
  for (const text of ['g.7674220C>T', 'p.R175H', '524G>A', 'chr17:g.7674220C>T']) {
    expect(isCodingChange(text), text).toBe(false)
  }
})

const HEADER = [
  ...['Hugo_Symbol', 'Chromosome', 'Start_Position', 'End_Position', 'Reference_Allele'],
  ...['Tumor_Seq_Allele2', 'Tumor_Sample_Barcode', 'Transcript_ID', 'HGVSc', 'HGVSp'],
  'HGVSp_Short',
]
const row = (start: number, ...effect: readonly string[]) => [
  ...['TP53', '17', String(start), String(start), 'C', 'T', 'TCGA-AA-0001-01A'],
  ...['ENST00000269305', ...effect],
]
const TABLE = tsv(
  'x.maf',
  HEADER,
  row(1, 'ENST00000269305.9:c.524G>A', 'ENSP00000269305.4:p.(Arg175His)', 'p.(Arg175His)'),
  row(2, 'NM_000546.6:c.524G>A', 'p.R175H', ''),
  row(3, 'c.524G%3EA', '', 'MUTATED'),
)

test('changes of a mutation table are found by the one form that the service has', async () => {
  const { documents } = await documentsOf([TABLE])
  const found = (documents.ssms ?? [])
    .toSorted((one, other) => Number(one.start_position) - Number(other.start_position))
    .map(({ consequence }) => (consequence as { transcript: object }[])[0]?.transcript)
  const change = { aa_change: 'R175H', aa_start: 175, aa_end: 175 }
  const both = { hgvsp: 'p.Arg175His', hgvsp_short: 'p.R175H' }
  expect(found).toMatchObject([
    { ...change, annotation: { ...both, hgvsc: 'c.524G>A' } },
    // The position belongs to another transcript.
    { ...change, annotation: { ...both, hgvsc: 'NM_000546.6:c.524G>A' } },
    { annotation: { hgvsc: 'c.524G>A', hgvsp_short: 'MUTATED' } },
  ])
  expect(found[2]).not.toHaveProperty('aa_change')
})

test('changes that are written differently, or are none, are counted', async () => {
  const { intake } = await documentsOf([TABLE])
  const changed = Object.fromEntries(
    (intake.reports[0]?.columns ?? []).map((each) => [each.name, each.changed]),
  )
  expect(changed).toMatchObject({
    HGVSc: [
      { name: 'with a transcript before it, which is left out if the row names it', count: 2 },
      { name: 'written with > and =', count: 1 },
    ],
    HGVSp: [
      { name: 'written with three letters for each amino acid, such as p.Arg175His', count: 2 },
    ],
    HGVSp_Short: [
      { name: 'written with one letter for each amino acid, such as p.R175H', count: 1 },
      { name: 'kept, although no change as HGVS writes it', count: 1 },
    ],
  })
})
