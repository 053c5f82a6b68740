import { beforeEach, expect, test } from 'vitest'
import { GeneModel, type GeneRow } from '../../../../engine/shared/catalogue/genes.ts'
import type { StateBed } from './state-bed.ts'

const gene = (geneId: string, symbol: string, chromosome = 'chr1'): GeneRow => ({
  geneId,
  symbol,
  chromosome,
  start: 10,
  end: 20,
  name: null,
  biotype: null,
  strand: null,
})

/** Tests of the gene model, wherever it is stored. */
export function geneTests(bed: StateBed): void {
  let genes: GeneModel
  beforeEach(() => {
    genes = new GeneModel(bed.database)
  })

  const bySymbol = async (symbol: string) => (await genes.bySymbols([symbol])).get(symbol) ?? []

  test('a symbol finds every gene that bears it, and no other case of it', async () => {
    await genes.replaceAll([gene('G2', 'A', 'chrY'), gene('G1', 'A', 'chrX'), gene('G3', 'a')])
    expect(await bySymbol('A')).toEqual([
      { geneId: 'G1', symbol: 'A', chromosome: 'chrX', start: 10, end: 20 },
      { geneId: 'G2', symbol: 'A', chromosome: 'chrY', start: 10, end: 20 },
    ])
    expect(await genes.count()).toBe(3)
  })

  test('an empty symbol and an odd one find nothing', async () => {
    await genes.replaceAll([gene('G1', '')])
    for (const symbol of ['', 'G1', "' OR 1=1", 'A\u0000', '\ud800']) {
      expect(await bySymbol(symbol)).toEqual([])
    }
  })

  test('new genes take the place of all the old ones', async () => {
    expect(await genes.replaceAll([gene('G1', 'A'), gene('G2', 'B')])).toBe(2)
    expect(await genes.replaceAll([gene('G2', 'C')])).toBe(1)
    expect(await genes.count()).toBe(1)
    expect(await bySymbol('A')).toEqual([])
  })

  test('a repeated id, or a source that fails, leaves the old genes', async () => {
    await genes.replaceAll([gene('G1', 'A')])
    await expect(genes.replaceAll([gene('G2', 'B'), gene('G2', 'C')])).rejects.toThrow(
      expect.objectContaining({ code: 'bad_input', at: 'genes[1]' }),
    )
    const failing = function* () {
      yield gene('G3', 'D')
      throw new Error('source failed')
    }
    await expect(genes.replaceAll(failing())).rejects.toThrow('source failed')
    expect(await genes.count()).toBe(1)
    expect(await bySymbol('A')).toHaveLength(1)
  })
}
