import { expect, test } from 'vitest'
import { summaryOf } from './summary.ts'

const cellsOf = (...values: readonly (number | null)[]) => ({
  cells: values.map((value, index) => ({ cell_id: `c${index}`, value })),
})

test('a gene is summed up over the cells that express it', () => {
  const { values, ...summary } = summaryOf('TP53', cellsOf(0, 4, 1, null, 0, 3, 2))
  expect(values).toHaveLength(6)
  expect(summary).toEqual({ name: 'TP53', expressing: 4, mean: 2.5, median: 2.5, highest: 4 })
})

test('a gene that no cell expresses has no mean', () => {
  expect(summaryOf('TP53', cellsOf(0, 0))).toMatchObject({
    expressing: 0,
    mean: undefined,
    median: undefined,
    highest: undefined,
  })
})
