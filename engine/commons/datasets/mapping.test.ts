import { describe, expect, test } from 'vitest'
import { DATASET_NAMES } from './define.ts'
import { DATASETS, datasetOf } from './index.ts'
import { mappingOf } from './mapping.ts'
import { resolveField } from './resolve.ts'

test('an entry has five members in their order', () => {
  const entry = mappingOf(DATASETS.ssms)._mapping['ssm_centrics.consequence.transcript.aa_start']
  expect(Object.entries(entry ?? {})).toEqual([
    ['description', ''],
    ['doc_type', 'ssm_centrics'],
    ['field', 'consequence.transcript.aa_start'],
    ['full', 'ssm_centrics.consequence.transcript.aa_start'],
    ['type', 'long'],
  ])
})

test('how keywords are compared is not shown', () => {
  const mapping = mappingOf(DATASETS.files)._mapping
  expect(mapping['files.data_type']?.type).toBe('keyword')
  expect(mapping['files.access']?.type).toBe('keyword')
})

test('nested paths have the endpoint in front', () => {
  expect(mappingOf(DATASETS.files).nested).toContain('files.cases.samples')
})

// GenomicDataCommons checks these before it sends a request (data-commons.md 3.3).
test('the groups that a client looks for can be expanded', () => {
  expect(mappingOf(DATASETS.cases).expand).toEqual(
    expect.arrayContaining([
      'diagnoses',
      'demographic',
      'exposures',
      'follow_ups.other_clinical_attributes',
    ]),
  )
  expect(mappingOf(DATASETS.ssm_occurrences).expand).toEqual(
    expect.arrayContaining(['case', 'ssm', 'case.project']),
  )
})

describe.each(DATASET_NAMES)('the mapping of %s', (name) => {
  const dataset = DATASETS[name]
  const mapping = mappingOf(dataset)

  test('lists the same fields twice, all of which can be found', () => {
    const entries = Object.entries(mapping._mapping)
    expect(entries.map(([, { field }]) => field)).toEqual(mapping.fields)
    expect(entries.every(([key, { full }]) => key === full)).toBe(true)
    expect(mapping.fields.filter((field) => !resolveField(dataset, field))).toEqual([])
  })

  test('lists no hidden field', () => {
    expect(mapping.fields).not.toContain('available_variation_data')
    expect(mapping.fields).not.toContain('demographic.gender')
  })

  test('has its defaults among its fields', () => {
    expect(mapping.defaults.filter((field) => !mapping.fields.includes(field))).toEqual([])
    expect(mapping.defaults).toContain(dataset.idField)
  })
})

test('a dataset is found by its name and by nothing else', () => {
  expect(datasetOf('files')).toBe(DATASETS.files)
  for (const name of ['file', 'constructor', '__proto__', '']) {
    expect(datasetOf(name)).toBeUndefined()
  }
})
