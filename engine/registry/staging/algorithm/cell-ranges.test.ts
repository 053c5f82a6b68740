import { expect, test } from 'vitest'
import { boundRange, contains, parseCell } from './cell-ranges.ts'

const single = (text: string) => ({ low: text, high: text })

// From rules 4 and 5 of registry.md and their examples.
test.each([
  ['*', 'any'],
  [null, 'any'],
  ['', [single('')]],
  ['A,,B', [single('A'), single(''), single('B')]],
  [' A , B ', [single('A'), single('B')]],
  ['*,5', [single('*'), single('5')]],
  ['000-010', [{ low: '000', high: '010' }]],
  ['9 - 10', [{ low: '9', high: '10' }]],
  ['AB-C', [single('AB-C')]],
  ['2018-{{year}}', [{ low: '2018', high: '{{year}}' }]],
  ['p0I-', [single('p0I-')]],
  ['N0(mol-)', [single('N0(mol-)')]],
  ['1-2-3', [single('1-2-3')]],
  ['-5', [single('-5')]],
  ['-', [single('-')]],
  ['10-20-', [{ low: '10', high: '20' }]],
])('cell %j is read as %j', (cell, wanted) => {
  expect(parseCell(cell)).toEqual(wanted)
})

// From rules 7 and 8 of registry.md and their examples.
test.each([
  ['99', '999', '150', true],
  ['001', '999', '10', true],
  ['001', '999', '000', false],
  ['001', '999', '5.0', false],
  ['0.1', '9.9', '5.05', true],
  ['0.1', '9.9', '.1', true],
  ['001', '999', 'XX', false],
  ['001', '999', '', false],
  ['2000', 'XXXX', '2004', true],
  ['2000', 'XXXX', '20045', false],
  ['a', 'c', 'B', false],
  ['5', '5', '05', false],
  ['', '', '', true],
  ['', '5', '5', false],
  // Both are 16777216 as 32-bit floats, in which they are compared.
  ['1', '16777216', '16777217', true],
])('%s to %s holds %j: %s', (low, high, value, wanted) => {
  expect(contains(boundRange(low, high), value)).toBe(wanted)
})
