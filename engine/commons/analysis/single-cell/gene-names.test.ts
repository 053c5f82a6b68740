import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderGenes, rowOfGene } from './gene-names.ts'

const IDS = [
  ...['ENSG00000000003.2', 'ENSG00000000003.1', 'ENSG00000000001', 'ENSG00000000001'],
  ...['ENSG00000002586.18_PAR_Y', 'ENSG00000002586.20', '', 'Gène', 'ENSG00000000003'],
]
const rowOf = (id: string) => rowOfGene(id, orderGenes(IDS))

test.each([
  ['ENSG00000000003.1', 1],
  ['ENSG00000000003', 8],
  ['ENSG00000000003.7', 0],
  ['ENSG00000000001', 2],
  ['ENSG00000000001.4', 2],
  ['ENSG00000002586_PAR_Y', 4],
  ['ENSG00000002586', 5],
  ['', 6],
  ['Gène', 7],
  ['gène', undefined],
  ['ENSG0000000000', undefined],
])('"%s" is row %s: an equal id wins, then the first of another version', (id, row) => {
  expect(rowOf(id)).toBe(row)
})

test('a file without genes has none', () => {
  expect(rowOfGene('ENSG00000000001', orderGenes([]))).toBeUndefined()
})

test('every id is found at its first row', () => {
  const ids = fc.array(fc.string({ maxLength: 4, unit: fc.constantFrom('a', '.', '1', '_', 'é') }))
  fc.assert(
    fc.property(ids, (list) => {
      const genes = orderGenes(list)
      for (const id of list) expect(rowOfGene(id, genes)).toBe(list.indexOf(id))
    }),
    { seed: 62 },
  )
})
