import { describe, expect, test } from 'vitest'
import { withoutVersion } from './gene-ids.ts'
import { formOf } from './table-form.ts'

const AUGMENTED =
  '# gene-model: GENCODE v36\ngene_id\tgene_name\tgene_type\tunstranded\tfpkm_uq_unstranded\nN_unmapped\t\t\t5\t'

describe('the form of a file', () => {
  test('augmented counts are told by their columns', () => {
    expect(formOf(AUGMENTED, 'a.tsv')).toMatchObject({
      kind: 'sample',
      headerLines: 2,
      geneCell: 0,
      values: [{ cell: 4 }],
      typeCell: 2,
      symbolCell: 1,
    })
  })

  test('two columns without a header are FPKM-UQ when their name says so, as counts look the same', () => {
    const text = 'ENSG00000000003.13\t12.5\nENSG00000000005.5\t0'
    expect(formOf(text, 'a.FPKM-UQ.txt.gz')).toMatchObject({
      kind: 'sample',
      headerLines: 0,
      values: [{ cell: 1 }],
    })
    expect(formOf(text, 'a.htseq.counts.gz')).toEqual({
      reason: 'its values are counts, which cannot be converted to FPKM-UQ exactly',
    })
  })

  test('a matrix is told by gene ids before numbers; its own gene columns are no samples', () => {
    const text = 'gene_id\tgene_type\tS1\tS2\nENSG00000000003\tprotein_coding\t1\t2.5'
    expect(formOf(text, 'm.tsv', { unit: 'uqfpkm' })).toMatchObject({
      kind: 'matrix',
      headerLines: 1,
      names: ['gene_id', 'gene_type', 'S1', 'S2'],
      values: [
        { cell: 2, name: 'S1' },
        { cell: 3, name: 'S2' },
      ],
      typeCell: 1,
    })
  })

  test('a header without a name for the column of genes is taken as R writes it', () => {
    expect(formOf('"S1"\t"S2"\n"ENSG00000000003"\t1\t2', 'm.fpkm_uq.tsv')).toMatchObject({
      kind: 'matrix',
      names: ['', 'S1', 'S2'],
      values: [
        { cell: 1, name: 'S1' },
        { cell: 2, name: 'S2' },
      ],
    })
  })

  test('a matrix of many columns is taken, and a line of nothing but tabs refused', () => {
    const names = Array.from({ length: 99_998 }, (_, i) => `S${i}`)
    const row = (cells: readonly unknown[]) => `ENSG00000000003\t${cells.join('\t')}`
    const numbers = row(names.map(() => 1))
    const matrix = (header: readonly string[], line: string) =>
      formOf(`gene_id\t${header.join('\t')}\n${line}`, 'm.tsv', { unit: 'uqfpkm' })
    expect(matrix(names, numbers)).toMatchObject({ kind: 'matrix' })
    const tabs = { reason: 'it has more than 100000 columns' }
    expect(formOf(`x${'\t'.repeat(4 << 20)}`, 'm.tsv')).toEqual(tabs)
  })

  test('lines above the header are counted, and the millions below the first rows are not split', () => {
    const text = `#a\n\n#\tc\n${AUGMENTED}${'\n'.repeat(1 << 20)}`
    expect(formOf(text, 'a.tsv')).toMatchObject({ kind: 'sample', headerLines: 5 })
  })

  test.each([
    ['an index of pandas', '\tgene_id\tS1\tS2\n0\tENSG00000000003\t1\t2'],
    ['row names of R beside the ids', '"gene_id"\t"S1"\t"S2"\n"1"\t"ENSG00000000003"\t1\t2'],
    ['ids behind the samples', 'S1\tS2\tgene_id\n1\t2\tENSG00000000003'],
    ['tabs at the ends of lines', 'gene_id\tS1\tS2\t\nENSG00000000003\t1\t2\t'],
    ['commas', 'gene_id,S1,S2\nENSG00000000003,1,2'],
    ['carriage returns', 'gene_id\tS1\tS2\rENSG00000000003\t1\t2\r'],
    ['a missing value', 'gene_id\tS1\tS2\nENSG00000000003\tNA\t2'],
    ['the same column twice', 'gene_id\tS1\tS2\tS1\nENSG00000000003\t5\t6\t5'],
  ])('a matrix may have %s', (_, text) => {
    const form = formOf(text, 'm.fpkm_uq.tsv')
    expect('values' in form && form.values.map(({ name }) => name)).toEqual(['S1', 'S2'])
  })

  test.each([
    ['gene_id\tunstranded\nENSG00000000003\t5', 'a.tsv', 'no column fpkm_uq_unstranded'],
    ['symbol\tS1\nTP53\t5', 'm.tsv', 'no column of it has gene ids'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.fpkm_uq.log2_plus1.tsv', 'logarithms'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.tsv', '--unit uqfpkm'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_tpm.tsv', 'TPM, which cannot be converted'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_counts.tsv', 'counts, which cannot'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_fpkm-uq.tsv', '--scale log2p1'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_fpkm.tsv', 'FPKM, which cannot be converted'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.fpkm_uq.log10.tsv', 'logarithms'],
    ['gene_id\tS1\nENSG00000000003\t1,5', 'm.fpkm_uq.tsv', 'column S1 has "1,5" in line 2'],
    ['gene_id\tS1\t\nENSG00000000003\t1\t2', 'm.fpkm_uq.tsv', 'column 3 has no name'],
    ['gene_id\tS1\tS2\tS3\nENSG00000000003\t1\t2', 'm.fpkm_uq.tsv', 'line 2 has 3 cells'],
    ['id\tfilename\tmd5\tsize\nx\ty\tz\t5', 'MANIFEST.txt', 'no table of expression'],
    ['gene_id\t"S\n1"\nENSG00000000003\t5', 'm.fpkm_uq.tsv', 'header continues after line 1'],
    ['', 'empty.tsv', 'no table of expression'],
    ['a text', 'a.txt', 'no table of expression'],
  ])('%j in %s is not taken', (text, name, reason) => {
    expect(formOf(text, name)).toEqual({ reason: expect.stringContaining(reason) })
  })
})

test.each([
  ['ENSG00000000003.15', 'ENSG00000000003'],
  ['ENSG00000002586.20_PAR_Y', 'ENSG00000002586_PAR_Y'],
  ['ENSG00000000003', 'ENSG00000000003'],
  ['ENSGR0000002586.14', 'ENSGR0000002586'],
  ['ENSMUSG00000000001.4', 'ENSMUSG00000000001'],
  ['AC012.3', 'AC012.3'],
])('%s without its version is %s', (id, expected) => {
  expect(withoutVersion(id)).toBe(expected)
})
