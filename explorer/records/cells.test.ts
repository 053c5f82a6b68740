import { expect, test } from 'vitest'
import { cellOf, shownNumber, titleOf, valuesAt } from './cells.ts'

const RECORD = {
  submitter_id: 'A',
  file_size: 1_400_000_000,
  year_of_birth: 1940,
  start_position: 161_388_643,
  is_ffpe: false,
  diagnoses: [
    { age_at_diagnosis: 21_599, treatments: [{ agent: 'x' }, { agent: 'y' }] },
    { age_at_diagnosis: 30_000, treatments: [{ agent: 'x' }, { agent: 'z' }, { agent: 'w' }] },
  ],
  demographic: { age_at_index: 59, race: null },
  acl: ['open', 'open'],
}

test('values are found in groups and in arrays of them', () => {
  expect(valuesAt(RECORD, 'diagnoses.treatments.agent')).toEqual(['x', 'y', 'x', 'z', 'w'])
  expect(valuesAt(RECORD, 'demographic.race')).toEqual([])
  expect(valuesAt(RECORD, 'no.such')).toEqual([])
  expect(valuesAt(RECORD, 'acl')).toEqual(['open', 'open'])
  // A group is no value.
  expect(valuesAt(RECORD, 'demographic')).toEqual([])
})

test('a cell shows equal values once, and counts what is too much', () => {
  expect(cellOf(RECORD, 'acl')).toBe('open')
  expect(cellOf(RECORD, 'diagnoses.treatments.agent')).toBe('x; y; z and 1 more')
  expect(cellOf(RECORD, 'is_ffpe')).toBe('false')
  expect(cellOf(RECORD, 'demographic.race')).toBeUndefined()
})

test('ages in days are shown in completed years, those in years as they are', () => {
  // 59 * 365.25 = 21,549.75; 82 * 365.25 = 29,950.5.
  expect(cellOf(RECORD, 'diagnoses.age_at_diagnosis')).toBe('59; 82')
  expect(cellOf(RECORD, 'demographic.age_at_index')).toBe(59)
})

test('numbers are written as people write them', () => {
  expect(shownNumber('file_size', 1_400_000_000)).toBe('1.4 GB')
  expect(shownNumber('demographic.year_of_birth', 1940)).toBe('1940')
  expect(shownNumber('start_position', 161_388_643)).toBe('161,388,643')
})

test('columns of equal names are told apart by their groups', () => {
  const fields = ['submitter_id', 'samples.submitter_id', 'diagnoses.age_at_diagnosis']
  expect(fields.map((field) => titleOf(field, fields))).toEqual([
    'Submitter id',
    'Submitter id (samples)',
    'Age at diagnosis, years',
  ])
})
