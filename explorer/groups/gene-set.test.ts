import { expect, test } from 'vitest'
import { MAX_SET_GENES, readGeneSet } from './gene-set.ts'

// The format GMT is that of the Molecular Signatures Database: name, description and genes, separated by tabs.
test.each([
  ['TP53, KRAS;EGFR\nBRAF', { genes: ['TP53', 'KRAS', 'EGFR', 'BRAF'] }],
  ['TP53\ttp53\tKRAS', { genes: ['tp53', 'KRAS'] }],
  ['', { genes: [] }],
  [
    'HALLMARK_HYPOXIA\thttps://www.gsea-msigdb.org/gsea/msigdb/x\tPGK1\tPDK1\nOTHER\tna\tTP53\n',
    { set: 'HALLMARK_HYPOXIA', genes: ['PGK1', 'PDK1'] },
  ],
  ['MINE\tNA\tTP53\tKRAS', { set: 'MINE', genes: ['TP53', 'KRAS'] }],
])('%j is %j', (text, expected) => {
  expect(readGeneSet(text)).toEqual(expected)
})

test('a set has as many genes as fit the address', () => {
  const text = Array.from({ length: MAX_SET_GENES + 5 }, (_, gene) => `G${gene}`).join(' ')
  expect(readGeneSet(text).genes).toHaveLength(MAX_SET_GENES)
})
