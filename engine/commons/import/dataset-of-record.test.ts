import { describe, expect, test } from 'vitest'
import { defineDataset, fields, relatedToCases } from '../datasets/compose.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { beforeLinked, datasetOfMembers } from './dataset-of-record.ts'

/** If a record has ids of several datasets, it belongs to the first of these. */
const FIRST_WINS: readonly DatasetName[] = [
  'segment_cnv_occurrences',
  'cnv_occurrences',
  'ssm_occurrences',
  'segment_cnvs',
  'cnvs',
  'ssms',
  'files',
  'annotations',
  'genes',
  'cases',
  'projects',
]

const of = (...names: readonly string[]) => datasetOfMembers(new Set(names))

test('a record that bears any ids belongs to the dataset whose id goes before the others', () => {
  for (let bits = 1; bits < 2 ** FIRST_WINS.length; bits++) {
    const borne = FIRST_WINS.filter((_, i) => bits & (2 ** i))
    expect([borne, of(...borne.map((name) => DATASETS[name].idField))]).toEqual([borne, borne[0]])
  }
})

describe('the order of datasets', () => {
  const places = (order: readonly { readonly name: string }[]) => (name: DatasetName) =>
    order.findIndex((one) => one.name === name)

  test('has each before those that it links to, however they are listed', () => {
    const place = places(beforeLinked(Object.values(DATASETS).toReversed()))
    for (const [one, other] of [
      ['ssm_occurrences', 'ssms'],
      ['cnv_occurrences', 'cnvs'],
      ['segment_cnv_occurrences', 'segment_cnvs'],
      ['ssm_occurrences', 'cases'],
      ['files', 'cases'],
      ['annotations', 'cases'],
      ['cases', 'projects'],
      // Records of files link to projects through their cases.
      ['files', 'projects'],
    ] as const) {
      expect([one, other, place(one) < place(other)]).toEqual([one, other, true])
    }
  })

  test('has another dataset that is listed last where its links say', () => {
    // Represents another dataset that links only to cases.
    const other = defineDataset({
      ...DATASETS.annotations,
      mounts: [],
      docType: 'visits',
      idField: 'visit_id',
      fields: fields({ keyword: 'visit_id case_id visit_type' }),
      related: relatedToCases('cases'),
    })
    const { annotations: _, ...rest } = DATASETS
    const order = beforeLinked([...Object.values(rest), other])
    expect(order.indexOf(other)).toBeLessThan(order.indexOf(DATASETS.cases))
    expect(order).toHaveLength(Object.keys(DATASETS).length)
  })

  test('has those that link to one another as they are listed', () => {
    const { ssms, genes } = DATASETS
    const link = { kind: 'link', at: 'x', by: 'x', own: [] } as const
    const one = { ...ssms, joins: [{ ...link, dataset: 'genes' as const }] }
    const two = { ...genes, joins: [{ ...link, dataset: 'ssms' as const }] }
    expect(beforeLinked([one, two])).toEqual([one, two])
    expect(beforeLinked([two, one])).toEqual([two, one])
  })
})

test('members of its own win over an id that a record links by', () => {
  expect(of('id', 'case_id', 'entity_id')).toBe('annotations')
  expect(of('file_name', 'md5sum', 'case_id')).toBe('files')
  expect(of('submitter_id', 'project_id', 'demographic')).toBe('cases')
  expect(of('ssm', 'case_id')).toBe('ssm_occurrences')
})

test('an id wins over members of datasets that do not link by it', () => {
  expect(of('case_id', 'symbol')).toBe('cases')
  expect(of('file_id', 'entity_id')).toBe('files')
  // Only cases have samples.
  expect(of('case_id', 'samples', 'cnv')).toBe('cases')
})

test('members or all fields tell of records without a typed id', () => {
  expect(of('id', 'gene_chromosome')).toBe('genes')
  expect(of('id', 'canonical_transcript_length')).toBe('genes')
  expect(of('id', 'state')).toBeUndefined()
  expect(of('colour')).toBeUndefined()
})
