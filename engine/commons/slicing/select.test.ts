import { expect, test } from 'vitest'
import { readWanted } from './select.ts'

const tp53 = { geneId: 'G1', symbol: 'TP53', chromosome: 'chr17', start: 11, end: 20 }
const bySymbols = async (symbols: readonly string[]) =>
  new Map(symbols.includes('TP53') ? [['TP53', [tp53]]] : [])

test('a symbol that is given many times is looked up once', async () => {
  const asked: string[] = []
  const wanted = await readWanted([], Array(50_000).fill('TP53'), (symbols) => {
    asked.push(...symbols)
    return bySymbols(symbols)
  })
  expect(asked).toEqual(['TP53'])
  expect(wanted.genes).toHaveLength(1)
})

test('an unknown gene is named by its place', async () => {
  await expect(readWanted([], ['TP53', 'TP53', 'tp53'], bySymbols)).rejects.toThrow(
    expect.objectContaining({
      code: 'bad_input',
      at: 'geneannot[2]',
      message: expect.stringMatching(/"tp53" is not in the gene model;.*did you mean "TP53"\?$/),
    }),
  )
})

test('more regions and genes than can be read at a time are refused', async () => {
  await expect(readWanted(Array(100_001).fill('1'), [], bySymbols)).rejects.toThrow(
    expect.objectContaining({ code: 'bad_input', message: expect.stringContaining('100000') }),
  )
})
