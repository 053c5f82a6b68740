import { expect, test } from 'vitest'
import { foundFields } from './field-search.ts'

const FIELDS = [
  'annotations.submitter_id',
  'diagnoses.age_at_diagnosis',
  'diagnoses.submitter_id',
  'files.cases.submitter_id',
  'submitter_id',
  'submitter_id_of_other',
  'samples.submitter_id',
]

test('the own field of a record comes before fields of the same name in its groups', () => {
  expect(foundFields(FIELDS, 'submitter_id')).toEqual([
    'submitter_id',
    'annotations.submitter_id',
    'diagnoses.submitter_id',
    'samples.submitter_id',
    'files.cases.submitter_id',
    'submitter_id_of_other',
  ])
  expect(foundFields(FIELDS, 'Samples.Submitter_ID')[0]).toBe('samples.submitter_id')
})

test('words match in any order and case', () => {
  expect(foundFields(FIELDS, 'Diagnosis age')).toEqual(['diagnoses.age_at_diagnosis'])
  expect(foundFields(FIELDS, '  ')).toEqual([])
  expect(foundFields(FIELDS, 'no such')).toEqual([])
})
