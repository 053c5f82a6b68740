import { expect, test } from 'vitest'
import { mutationsOf, placeOf, type SsmHit } from './gene-facts.ts'

const of = (transcript: object) => ({ transcript: { gene: { gene_id: 'G1' }, ...transcript } })

const HITS: readonly SsmHit[] = [
  {
    ssm_id: 'a',
    start_position: 7,
    genomic_dna_change: 'chr1:g.7A>T',
    consequence: [
      of({ is_canonical: false, aa_change: 'K1N', aa_start: 1 }),
      of({ is_canonical: true, aa_change: 'R175H', aa_start: 175, consequence_type: 'stop_lost' }),
    ],
  },
  { ssm_id: 'b', consequence: [of({ aa_change: 'p.Q38*' })] },
  { ssm_id: 'c', consequence: [of({ annotation: { protein_position: '12/393' } })] },
  {
    ssm_id: 'd',
    genomic_dna_change: 'chr1:g.9del',
    consequence: [{ transcript: { gene: { gene_id: 'G2' }, aa_start: 4 } }],
  },
]

test('a mutation lies where the canonical transcript of the gene says, in whichever form', () => {
  const mutations = [...'abcde'].map((ssm_id) => ({ ssm_id, cases: 2 }))
  const found = mutationsOf({ mutations }, HITS, 'G1')
  expect(found.map(({ name, residue }) => [name, residue])).toEqual([
    ['R175H', 175],
    ['p.Q38*', 38],
    ['c', 12],
    // This change affects another gene only and has no record.
    ['chr1:g.9del', undefined],
    ['e', undefined],
  ])
  expect(found[0]).toMatchObject({ position: 7, drawnAs: 'truncating', cases: 2 })
})

test('the place of a gene is written as regions are', () => {
  const place = { gene_id: 'G1', gene_start: 5, gene_end: 9 }
  expect(placeOf({ ...place, gene_chromosome: '17' })).toBe('chr17:5-9')
  expect(placeOf({ ...place, gene_chromosome: 'chrX' })).toBe('chrX:5-9')
  expect(placeOf(place)).toBeUndefined()
})
