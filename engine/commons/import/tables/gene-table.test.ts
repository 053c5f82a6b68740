import { expect, test } from 'vitest'
import { documentsOf, tsv } from '../../../../test/commons/import/support/documents.ts'

test('gene tables: one model with descriptions, the copy on Y under its version', async () => {
  const model = tsv(
    'genes.tsv',
    [
      'gene_id',
      'gene_id_version',
      'symbol',
      'biotype',
      'chromosome',
      'start',
      'end',
      'strand',
      'hgnc_id',
    ],
    ['ENSG1', 'ENSG1.1', 'AAA', 'protein_coding', 'chrX', '10', '20', '-1', 'HGNC:1'],
    ['ENSG1', 'ENSG1.1_PAR_Y', 'AAA', 'protein_coding', 'chrY', '10', '20', '-1', ''],
    ['ENSG2', 'ENSG2.1', 'BBB', 'lncRNA', 'chrM', '5', '1', '1', ''],
  )
  const descriptions = tsv(
    'descriptions.tsv',
    ['ensgene', 'entrez', 'symbol', 'chr', 'start', 'end', 'strand', 'biotype', 'description'],
    ['ENSG1', '7', 'OLD', 'X', '11', '21', '1', 'protein_coding', 'first gene'],
    ['ENSG1', '8', 'OLD', 'X', '11', '21', '1', 'protein_coding', 'first gene'],
  )
  const [one, other] = await Promise.all([
    documentsOf([model, descriptions], { maxErrors: 1 }),
    documentsOf([descriptions, model], { maxErrors: 1 }),
  ])
  expect(one.texts).toEqual(other.texts)
  expect(one.documents.genes).toMatchObject([
    {
      gene_id: 'ENSG1',
      symbol: 'AAA',
      name: 'first gene',
      description: 'first gene',
      gene_chromosome: 'X',
      gene_start: 10,
      gene_end: 20,
      gene_strand: -1,
      external_db_ids: { hgnc: ['HGNC:1'], entrez_gene: ['7', '8'] },
    },
    { gene_id: 'ENSG1.1_PAR_Y', gene_chromosome: 'Y' },
  ])
  expect(one.intake.badRows).toMatchObject([
    { line: 4, reason: 'start and end are no span: 5 to 1' },
  ])
})
