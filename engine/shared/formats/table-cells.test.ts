import { expect, test } from 'vitest'
import { ByteSink } from './byte-sink.ts'
import { cellOf, csvCell, orderColumns, writeLine } from './table-cells.ts'

// data-commons.md 3.5.
test.each([
  [null, false, ''],
  [true, false, 'True'],
  [false, true, 'False'],
  [839, false, '839'],
  [839, true, '839.0'],
  [-2, true, '-2.0'],
  [0.5, true, '0.5'],
  [0.5, false, '0.5'],
  [1e21, true, '1e+21'],
  ['839', true, '839'],
  ['', false, ''],
  ['a\tb\r\nc', false, 'a b  c'],
  ['"quoted", too', false, '"quoted", too'],
] as const)('%j (decimal: %s) is the cell "%s"', (value, decimal, cell) => {
  expect(cellOf(value, decimal)).toBe(cell)
})

test('the first column is moved to the front, the others ascend', () => {
  expect(orderColumns(['b', 'id', 'a.10', 'a.9', 'B'], 'id')).toEqual([
    'id',
    'B',
    'a.10',
    'a.9',
    'b',
  ])
  expect(orderColumns(['b', 'a'], 'id')).toEqual(['a', 'b'])
})

test('lines are UTF-8 and may outgrow their room', () => {
  const sink = new ByteSink(Buffer.alloc(3))
  writeLine(sink, ['ä', undefined, '', '漢字🧬'.repeat(1000)])
  writeLine(sink, [])
  expect(Buffer.from(sink.take()).toString()).toBe(`ä\t\t\t${'漢字🧬'.repeat(1000)}\n\n`)
  expect(sink.take()).toHaveLength(0)
})

// RFC 4180 2, rules 5 to 7.
test.each([
  ['', ''],
  ['a b', 'a b'],
  [' a ', ' a '],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['"', '""""'],
  ['a\nb', '"a\nb"'],
])('between commas %j is %s', (cell, written) => {
  expect(csvCell(cell)).toBe(written)
  const sink = new ByteSink(Buffer.alloc(3))
  writeLine(sink, [cell, undefined, cell], 'csv')
  expect(Buffer.from(sink.take()).toString()).toBe(`${written},,${written}\n`)
})
