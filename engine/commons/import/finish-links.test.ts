import { expect, test } from 'vitest'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { Dataset, LinkMount } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { linkFinisher } from './finish-links.ts'

const facts = {
  realCases: new Map([['made', 'real']]),
  projectOf: (id: string) => (id === 'real' ? 'P-1' : undefined),
}

function finished(dataset: Dataset, document: JsonObject): JsonObject {
  linkFinisher(dataset, facts)?.(document)
  return document
}

const { annotations, ssm_occurrences } = DATASETS

test('an annotation leads to the real case and its project', () => {
  expect(finished(annotations, { annotation_id: 'a', case_id: 'made' })).toEqual({
    annotation_id: 'a',
    case_id: 'real',
    project: { project_id: 'P-1' },
  })
  const named = { case_id: 'real', project: { project_id: 'P-2' } }
  expect(finished(annotations, { ...named })).toEqual(named)
  expect(finished(annotations, { case_id: 'other' })).toEqual({ case_id: 'other' })
  expect(finished(annotations, { annotation_id: 'a' })).toEqual({ annotation_id: 'a' })
})

test('an occurrence leads to the real case, and has no project of its own', () => {
  const document = { case: { case_id: 'made', observation: [{ x: 1 }] } }
  expect(finished(ssm_occurrences, document)).toEqual({
    case: { case_id: 'real', observation: [{ x: 1 }] },
  })
})

test('a record gets no project where its dataset links to none', () => {
  const visits = { ...annotations, mounts: [] }
  expect(finished(visits, { case_id: 'made' })).toEqual({ case_id: 'real' })
})

test('links are found wherever the dataset has them', () => {
  const link = { kind: 'link', dataset: 'cases', by: 'case_id', own: [] } as const
  const deep: LinkMount = { ...link, at: 'entities.cases' }
  const visits = { ...annotations, mounts: [...annotations.mounts, deep], joins: [] }
  const entities = [{ cases: [{ case_id: 'other' }, { case_id: 'made' }] }, { cases: null }, {}]
  expect(finished(visits, { case_id: 'made', entities })).toEqual({
    case_id: 'made',
    entities: [{ cases: [{ case_id: 'other' }, { case_id: 'real' }] }, { cases: null }, {}],
    project: { project_id: 'P-1' },
  })
})
