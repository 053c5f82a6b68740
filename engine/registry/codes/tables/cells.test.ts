import { expect, test } from 'vitest'
import { classesIn, dayIn, listIn, placesIn, textIn } from './cells.ts'
import { RowError } from './row-error.ts'

test('a text is without blanks around it, and an empty one is none', () => {
  expect(textIn(' a b ', 'C')).toBe('a b')
  expect(textIn('  ', 'C')).toBeUndefined()
})

test.each(['NA', "'--", '[Not Available]'])('%s stands for nothing', (cell) => {
  expect([textIn, listIn, dayIn].map((read) => read(cell, 'C'))).toEqual([
    ...[undefined, undefined, undefined],
  ])
  expect(placesIn(cell, 'C')).toEqual([])
})

test.each(['\u0000', 'a\u0007', 'b\u0081c', '\u007f'])('control characters are refused', (text) => {
  expect(() => textIn(text, 'NAME')).toThrow(RowError)
  expect(() => textIn(text, 'NAME')).toThrow(expect.objectContaining({ column: 'NAME' }))
})

test('parts of a list stand between semicolons, however many blanks are there', () => {
  expect(listIn('ORAL;   TOPICAL ; NASAL', 'C')).toEqual(['ORAL', 'TOPICAL', 'NASAL'])
  expect(listIn('; ;', 'C')).toBeUndefined()
  expect(listIn('', 'C')).toBeUndefined()
})

test('parts that belong to those of another cell stay at their places', () => {
  expect(placesIn('70; ;5600 ;', 'C')).toEqual(['70', undefined, '5600', undefined])
  expect(placesIn('', 'C')).toEqual([])
})

test('a semicolon in parentheses is part of a name', () => {
  expect(listIn('POLY(METHYL METHACRYLATE; 450000 MW)', 'C')).toEqual([
    'POLY(METHYL METHACRYLATE; 450000 MW)',
  ])
  expect(listIn('A (x; y); B; C (z)', 'C')).toEqual(['A (x; y)', 'B', 'C (z)'])
})

test('classes end with their kind in brackets, and have commas in their names', () => {
  expect(
    classesIn('Androgen [EPC],Cations, Divalent [Chemical/Ingredient],Androstanes [MoA]', 'C'),
  ).toEqual(['Androgen [EPC]', 'Cations, Divalent [Chemical/Ingredient]', 'Androstanes [MoA]'])
})

test('a day is taken as it stands', () => {
  expect(dayIn('20240229', 'C')).toBe('20240229')
  expect(dayIn('', 'C')).toBeUndefined()
})

test.each(['20230229', '20231301', '2023-01-01', '202301', '00000000'])('%s is no day', (text) => {
  expect(() => dayIn(text, 'DAY')).toThrow(expect.objectContaining({ column: 'DAY' }))
})
