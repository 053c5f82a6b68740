import { expect, test } from 'vitest'
import { parsePair } from './tumour.ts'

test('a pair keeps the members of a tumor and drops others and nulls', () => {
  const input1 = { primary_site: 'C509', laterality: null, sex: '2' }
  const input2 = { histology_icd_o3: ' 8500 ', date_of_diagnosis_day: '' }
  expect(parsePair({ input1, input2, mode: 'STRICT' })).toEqual({
    input1: { primary_site: 'C509' },
    input2: { histology_icd_o3: ' 8500 ', date_of_diagnosis_day: '' },
  })
})

test.each([
  [undefined, ''],
  [[], ''],
  ['{}', ''],
  [{}, 'input1'],
  [{ input1: {} }, 'input2'],
  [{ input1: {}, input2: null }, 'input2'],
  [{ input1: 'C509', input2: {} }, 'input1'],
  [{ input1: {}, input2: { laterality: 1 } }, 'input2.laterality'],
  [{ input1: { primary_site: ['C509'] }, input2: {} }, 'input1.primary_site'],
])('%j is no pair', (body, at) => {
  expect(() => parsePair(body)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
})
