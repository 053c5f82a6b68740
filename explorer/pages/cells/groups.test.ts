import { expect, test } from 'vitest'
import { groupSummaries } from './groups.ts'

test('numbers of a gene are distinguished by group, with zeros and without unknown ones', () => {
  const cells = [0, 2, null, 4, 0, 6].map((value, index) => ({ cell_id: `c${index}`, value }))
  const groups = { name: 'Type', values: ['10', '9'], codes: [0, 0, 0, 1, 1, 1] }
  const found = groupSummaries('TP53', { cells }, groups)
  expect(
    found.map(({ group, values, expressing, median, mean }) => ({
      group,
      values: [...values],
      expressing,
      median,
      mean,
    })),
  ).toEqual([
    { group: '9', values: [4, 0, 6], expressing: 2, median: 5, mean: 5 },
    { group: '10', values: [0, 2], expressing: 1, median: 2, mean: 2 },
  ])
})
