import { expect, test } from 'vitest'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { type Withdrawn, withdraw } from './withdraw.ts'

const NOTHING: Withdrawn = { ids: new Set(), members: new Map() }
const gone = (...ids: string[]): Withdrawn => ({ ...NOTHING, ids: new Set(ids) })

/** Returns what remains of a record, or undefined if nothing remains. */
function left(dataset: DatasetName, document: JsonObject, withdrawn: Withdrawn) {
  const copy = structuredClone(document)
  return withdraw(dataset, copy, withdrawn) ? copy : undefined
}

const CASE = {
  case_id: 'c',
  submitter_id: 'C',
  consent_type: 'Waiver',
  primary_site: 'Brain',
  demographic: { demographic_id: 'd', submitter_id: 'D' },
  samples: [
    { sample_id: 's', submitter_id: 'S', portions: [{ portion_id: 'p', submitter_id: 'P' }] },
    { sample_id: 't', submitter_id: 'T' },
  ],
  sample_ids: ['s', 't', 'imported'],
  submitter_sample_ids: ['S', 'T'],
  portion_ids: ['p'],
}

test('a thing goes wherever it is shown, and out of lists of ids and names', () => {
  expect(left('cases', CASE, NOTHING)).toEqual(CASE)
  const { demographic: _, ...others } = CASE
  expect(left('cases', CASE, gone('s', 'p', 'd'))).toEqual({
    ...others,
    samples: [{ sample_id: 't', submitter_id: 'T' }],
    sample_ids: ['t', 'imported'],
    submitter_sample_ids: ['T'],
    portion_ids: ['p'],
  })
  expect(left('cases', CASE, gone('p'))).toMatchObject({
    samples: [{ sample_id: 's' }, { sample_id: 't' }],
  })
  expect(left('cases', CASE, gone('p'))).not.toHaveProperty('portion_ids')
  expect(left('cases', CASE, gone('c'))).toBeUndefined()
  // Ids are compared in lower case, as they are stored.
  expect(left('cases', { ...CASE, case_id: 'C-1' }, gone('c-1'))).toBeUndefined()
})

test('a record goes with the link that made it', () => {
  const file = {
    file_id: 'f',
    cases: [{ case_id: 'c' }, { case_id: 'o' }],
    associated_entities: [{ entity_id: 'a', entity_type: 'aliquot', case_id: 'c' }],
  }
  expect(left('files', file, gone('c'))).toEqual({ file_id: 'f', cases: [{ case_id: 'o' }] })
  expect(left('files', file, gone('c', 'o'))).toBeUndefined()
  expect(left('files', { file_id: 'f' }, gone('c'))).toEqual({ file_id: 'f' })
  const occurrence = { ssm_occurrence_id: 'x', case: { case_id: 'c' }, ssm: { ssm_id: 'm' } }
  expect(left('ssm_occurrences', occurrence, gone('c'))).toBeUndefined()
  const annotation = { annotation_id: 'n', entity_id: 'a', case_id: 'o' }
  expect(left('annotations', annotation, gone('a'))).toBeUndefined()
})

test('members that a thing has no more go from it alone', () => {
  const withdrawn: Withdrawn = {
    ...NOTHING,
    members: new Map([['c', { idName: 'case_id', names: ['consent_type', 'notes'] }]]),
  }
  const { consent_type: _, ...others } = CASE
  expect(left('cases', CASE, withdrawn)).toEqual(others)
  const annotation = { annotation_id: 'n', entity_id: 'c', case_id: 'c', notes: 'stay' }
  expect(left('annotations', annotation, withdrawn)).toEqual(annotation)
})
