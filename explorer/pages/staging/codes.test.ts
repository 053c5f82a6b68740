import { expect, test } from 'vitest'
import { codesOf } from './codes.ts'
import type { StagingTable } from './staging-data.ts'

const table = (rows: readonly (readonly string[])[]): StagingTable => ({
  id: 'size',
  title: 'Size',
  definition: [
    { type: 'INPUT', key: 'size', name: 'Code' },
    { type: 'DESCRIPTION', key: 'text', name: 'Meaning' },
  ],
  rows,
})

test('each row is one code, a range or list its first, with its meaning', () => {
  const rows = [
    ['000', 'None'],
    ['001-989', 'Millimetres\nas measured'],
    ['990,991', 'A spot'],
    ['*', 'Anything'],
    ['00-{{nodes_exam}}', 'Up to another input'],
    ['', 'Blank'],
  ]
  expect(codesOf(table(rows), 'size')).toEqual([
    { code: '000', cell: '000', meaning: 'None' },
    { code: '001', cell: '001-989', meaning: 'Millimetres' },
    { code: '990', cell: '990,991', meaning: 'A spot' },
  ])
})

test('a table that names its input otherwise is read by its first input', () => {
  expect(codesOf(table([['9', 'Unknown']]), 'grade')).toHaveLength(1)
})
