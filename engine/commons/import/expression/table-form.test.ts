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
      columns: 5,
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
      columns: 4,
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
      columns: 3,
      values: [
        { cell: 1, name: 'S1' },
        { cell: 2, name: 'S2' },
      ],
    })
  })

  test.each([
    ['gene_id\tunstranded\nENSG00000000003\t5', 'a.tsv', 'no column fpkm_uq_unstranded'],
    ['symbol\tS1\nTP53\t5', 'm.tsv', 'no gene ids'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.fpkm_uq.log2_plus1.tsv', 'logarithms'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.tsv', '--unit uqfpkm'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_tpm.tsv', 'TPM, which cannot be converted'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_counts.tsv', 'counts, which cannot'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_fpkm-uq.tsv', '--scale log2p1'],
    ['gene_id\tS1\nENSG00000000003\t5', 'X.star_fpkm.tsv', 'FPKM, which cannot be converted'],
    ['gene_id\tS1\nENSG00000000003\t5', 'm.fpkm_uq.log10.tsv', 'logarithms'],
    ['gene_id\tS1\tS2\tS1\nENSG00000000003\t5\t6\t5', 'm.fpkm_uq.tsv', 'S1 occurs twice'],
    ['gene_id\tS1\tS1\nENSG00000000003\t5\t6', 'm.fpkm_uq.tsv', 'S1 occurs twice'],
    ['id\tfilename\tmd5\tsize\nx\ty\tz\t5', 'MANIFEST.txt', 'no table of expression'],
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
