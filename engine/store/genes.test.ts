import { beforeEach, expect, test } from 'vitest'
import { GeneModel, type GeneRow } from './genes.ts'
import { openState } from './state.ts'

const gene = (geneId: string, symbol: string, chromosome = 'chr1'): GeneRow => ({
  ...{ geneId, symbol, chromosome, start: 10, end: 20 },
  ...{ name: null, biotype: null, strand: null },
})

let genes: GeneModel
beforeEach(() => {
  genes = new GeneModel(openState(':memory:'))
})

test('a symbol finds every gene that bears it, and no other case of it', () => {
  genes.replaceAll([gene('G2', 'A', 'chrY'), gene('G1', 'A', 'chrX'), gene('G3', 'a')])
  expect(genes.bySymbol('A')).toEqual([
    { geneId: 'G1', symbol: 'A', chromosome: 'chrX', start: 10, end: 20 },
    { geneId: 'G2', symbol: 'A', chromosome: 'chrY', start: 10, end: 20 },
  ])
  expect(genes.count()).toBe(3)
})

test('an empty symbol and an odd one find nothing', () => {
  genes.replaceAll([gene('G1', '')])
  for (const symbol of ['', 'G1', "' OR 1=1", 'A\u0000', '\ud800']) {
    expect(genes.bySymbol(symbol)).toEqual([])
  }
})

test('new genes take the place of all the old ones', () => {
  expect(genes.replaceAll([gene('G1', 'A'), gene('G2', 'B')])).toBe(2)
  expect(genes.replaceAll([gene('G2', 'C')])).toBe(1)
  expect(genes.count()).toBe(1)
  expect(genes.bySymbol('A')).toEqual([])
})

test('a repeated id, or a source that fails, leaves the old genes', () => {
  genes.replaceAll([gene('G1', 'A')])
  expect(() => genes.replaceAll([gene('G2', 'B'), gene('G2', 'C')])).toThrow(
    expect.objectContaining({ code: 'bad_input', at: 'genes[1]' }),
  )
  const failing = function* () {
    yield gene('G3', 'D')
    throw new Error('source failed')
  }
  expect(() => genes.replaceAll(failing())).toThrow('source failed')
  expect(genes.count()).toBe(1)
  expect(genes.bySymbol('A')).toHaveLength(1)
})
