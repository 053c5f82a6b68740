import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomFrom } from '../../../../fixtures/random.ts'
import { fiveDecimals } from './exact-decimals.ts'
import { ABSENT } from './matrix-format.ts'
import { caseId, geneId, madeMatrix, someFixed, tableOf } from './support/made-matrix.ts'

/** Reference implementation of a line, number by number. */
function plainLine(row: readonly number[]): string {
  const present = row.filter((value) => value !== ABSENT)
  const logs = present.map((value) => Math.log2(value / 10_000 + 1)).sort((a, b) => a - b)
  const middle = ((logs[(logs.length - 1) >> 1] ?? 0) + (logs[logs.length >> 1] ?? 0)) / 2
  const cells = row.map((value) =>
    value === ABSENT ? '' : fiveDecimals(Math.log2(value / 10_000 + 1) - middle),
  )
  return cells.join('\t')
}

const headOf = (cases: number) =>
  ['gene_id', ...Array.from({ length: cases }, (_, i) => caseId(i))].join('\t')

test('three million centred cells are printed as the exact way prints them', async () => {
  const random = randomFrom(11)
  const values = Array.from({ length: 3000 }, (_, gene) =>
    Array.from({ length: 1000 }, () => (gene % 3 === 0 ? someFixed(random.unit) : usual())),
  )
  function usual() {
    return Math.floor(2 ** random.normal(16, 3))
  }
  const table = await tableOf(await madeMatrix('fixed', values), 'median_centered_log2_uqfpkm')
  const lines = table.trimEnd().split('\n')
  expect(lines).toHaveLength(3001)
  const wrong = values.filter((row, i) => lines[i + 1] !== `${geneId(i)}\t${plainLine(row)}`)
  expect(wrong).toHaveLength(0)
})

test('stored values are printed with as few decimals as tell them', async () => {
  const random = randomFrom(12)
  const row = [0, 1, 10, 100, 1000, 10_000, 12_345, 99_999_999, 100_000_000, 999_990_000]
  row.push(ABSENT, ABSENT - 1)
  for (let i = 0; i < 200_000; i++) row.push(someFixed(random.unit))
  const table = await tableOf(await madeMatrix('fixed', [row]), 'uqfpkm')
  const cells = row.map((value) => (value === ABSENT ? '' : String(value / 10_000)))
  const [head, line, ...rest] = table.split('\n')
  expect([head, rest]).toEqual([headOf(row.length), ['']])
  const printed = line?.split('\t').slice(1) ?? []
  expect(printed.slice(0, 12)).toEqual([
    ...['0', '0.0001', '0.001', '0.01', '0.1', '1', '1.2345', '9999.9999', '10000', '99999'],
    ...['', '429496.7294'],
  ])
  expect(printed).toEqual(cells)
})

test('what is widened is printed as doubles are, and ties go to the even digit', async () => {
  const values = [
    [0.015625, 1e-7, 429_496.7296, 1e300, Number.NaN, 0],
    // Logarithms of 16, 16 + 1/64 and 16 + 3/64, which doubles represent exactly.
    [2 ** (16 + 1 / 64) - 1, 65_535, 65_535, 2 ** (16 + 3 / 64) - 1, 65_535, 65_535],
  ]
  const matrix = await madeMatrix('double', values)
  expect((await tableOf(matrix, 'uqfpkm')).split('\n')[1]).toBe(
    `${geneId(0)}\t0.015625\t1e-7\t429496.7296\t1e+300\t\t0`,
  )
  // python3 -c "import math; print('%.5f %.5f' % (1/64, 3/64))"
  const centred = (await tableOf(matrix, 'median_centered_log2_uqfpkm')).split('\n')[2]
  expect(centred).toBe(`${geneId(1)}\t0.01562\t0.00000\t0.00000\t0.04688\t0.00000\t0.00000`)
})

test('a row without values is a row of empty cells', async () => {
  const matrix = await madeMatrix('fixed', [[ABSENT, ABSENT]])
  for (const unit of ['uqfpkm', 'median_centered_log2_uqfpkm'] as const) {
    expect((await tableOf(matrix, unit)).split('\n')[1]).toBe(`${geneId(0)}\t\t`)
  }
})

const table = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 30 }))
  .chain(([genes, cases]) =>
    fc.array(
      fc.array(
        fc.oneof(
          { weight: 5, arbitrary: fc.integer({ min: 0, max: 4_000_000_000 }) },
          { weight: 2, arbitrary: fc.constantFrom(0, ABSENT) },
        ),
        { minLength: cases, maxLength: cases },
      ),
      { minLength: genes, maxLength: genes },
    ),
  )

const CENTRED = 'median_centered_log2_uqfpkm'
const cellsOf = (line: string) => line.split('\t').slice(1)
const linesOf = (text: string) => text.trimEnd().split('\n')

test('the median of each centred row is zero', async () => {
  await fc.assert(
    fc.asyncProperty(table, async (values) => {
      const [, ...lines] = (await tableOf(await madeMatrix('fixed', values), CENTRED))
        .slice(0, -1)
        .split('\n')
      for (const line of lines) {
        const numbers = cellsOf(line).filter(Boolean).map(Number)
        numbers.sort((a, b) => a - b)
        const { length } = numbers
        if (length === 0) continue
        const middle = ((numbers[(length - 1) >> 1] ?? 0) + (numbers[length >> 1] ?? 0)) / 2
        expect(Math.abs(middle)).toBeLessThanOrEqual(0.000_005)
      }
    }),
    { seed: 3, numRuns: 60 },
  )
})

test('exchanging the values of two cases exchanges their columns', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.nat(), fc.nat(), async (values, first, second) => {
      const width = values[0]?.length ?? 1
      const [a, b] = [first % width, second % width]
      const swap = <T>(row: readonly T[]) => row.with(a, row[b] as T).with(b, row[a] as T)
      const one = await tableOf(await madeMatrix('fixed', values), CENTRED)
      const other = await tableOf(await madeMatrix('fixed', values.map(swap)), CENTRED)
      const exchanged = one.split('\n').slice(1, -1).map(cellsOf).map(swap)
      expect(other.split('\n').slice(1, -1).map(cellsOf)).toEqual(exchanged)
    }),
    { seed: 4, numRuns: 60 },
  )
})

test('tables of some genes each, joined, are the table of all', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.nat(), async (values, cut) => {
      const matrix = await madeMatrix('fixed', values)
      const at = cut % (values.length + 1)
      const all = [...values.keys()]
      for (const unit of [CENTRED, 'uqfpkm'] as const) {
        const first = await tableOf(matrix, unit, { rows: all.slice(0, at) })
        const second = await tableOf(matrix, unit, { rows: all.slice(at) })
        const head = `${headOf(values[0]?.length ?? 0)}\n`
        expect(first + second.slice(head.length)).toBe(await tableOf(matrix, unit))
      }
    }),
    { seed: 5, numRuns: 60 },
  )
})

test('columns are gathered as a matrix of those cases alone has them', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.nat(), async (values, seed) => {
      const random = randomFrom(seed)
      const columns = [...(values[0]?.keys() ?? [])].filter(() => random.chance(0.5))
      const some = await madeMatrix(
        'fixed',
        values.map((row) => columns.map((i) => row[i] ?? 0)),
      )
      const gathered = await tableOf(await madeMatrix('fixed', values), CENTRED, { columns })
      const expected = await tableOf(some, CENTRED)
      expect(linesOf(gathered).slice(1)).toEqual(linesOf(expected).slice(1))
    }),
    { seed: 6, numRuns: 60 },
  )
})
