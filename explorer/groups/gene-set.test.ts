import { expect, test } from 'vitest'
import { readGeneSet, readGeneSets } from './gene-set.ts'

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

test('a file has a set in each line, or is one of names alone', () => {
  const file = 'A\tna\tTP53\tKRAS\ttp53\r\nB\tTP53\tMYC\t\n\nno set\tof genes\n'
  expect(readGeneSets(file)).toEqual([
    { set: 'A', genes: ['tp53', 'KRAS'] },
    { set: 'B', genes: ['MYC'] },
  ])
  expect(readGeneSets('TP53\nKRAS\n')).toEqual([{ genes: ['TP53', 'KRAS'] }])
})
