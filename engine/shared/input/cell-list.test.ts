import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { joinList, splitList } from './cell-list.ts'

// csv.reader([CELL], skipinitialspace=True) has the same values.
test.each([
  ['Primary Tumor, Metastatic', ['Primary Tumor', 'Metastatic']],
  ['"Bone Marrow, Post-treatment", Metastatic', ['Bone Marrow, Post-treatment', 'Metastatic']],
  ['a, , b', ['a', '', 'b']],
  [', ', ['', '']],
  ['a,b,', ['a', 'b', '']],
  ['5" x, y', ['5" x', 'y']],
  ['"a ""b""", c', ['a "b"', 'c']],
  ['', ['']],
])('%j has the values %j', (cell, values) => {
  expect(splitList(cell)).toEqual(values)
})

test('a written list is read back', () => {
  const value = fc.string({ unit: fc.constantFrom(...'ab", \té'), maxLength: 6 })
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      expect(splitList(joinList(values))).toEqual(values)
    }),
    { numRuns: depth(200, 2000), seed: 4 },
  )
})

test('a cell of nothing but quotes or blanks is cut at once', () => {
  for (const character of ['"', ' ', ',', '"",']) {
    const cell = character.repeat(200_000)
    expect(splitList(cell).length).toBeGreaterThan(0)
  }
})
