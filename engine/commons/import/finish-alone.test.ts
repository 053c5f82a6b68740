import { expect, test } from 'vitest'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { addedAlone } from './finish-alone.ts'
import { finishFile } from './finish-file.ts'
import { finishMutation, finishOccurrence } from './finish-mutation.ts'
import { GeneFacts } from './gene-facts.ts'
import { idOf } from './record-id.ts'

function mutation(members: JsonObject): JsonObject {
  const place = { chromosome: 'chr7', start_position: 5, end_position: 5, tumor_allele: 'T' }
  return { ...place, ...members, ssm_id: idOf(DATASETS.ssms, place)?.id ?? '' }
}

const effect = (id: string, gene?: JsonObject): JsonObject => ({
  transcript: { transcript_id: id, aa_change: 'V600E', ...(gene && { gene }) },
})
const known = { symbol: 'BRAF', gene_id: 'ENSG1' }

const mutations: Readonly<Record<string, JsonObject>> = {
  'one consequence': mutation({ consequence: [effect('b', known)] }),
  'a gene without id': mutation({ consequence: [effect('b', { symbol: 'BRAF' })] }),
  'no gene': mutation({ consequence: [effect('b')] }),
  'sorted ids of catalogues': mutation({ consequence: [effect('b')], catalog_id: ['c', 'd'] }),
  'no consequence': mutation({}),
  'an id of its own': { ssm_id: 'x', consequence: [effect('b', known), effect('a')] },
  'unsorted ids of catalogues': mutation({ consequence: [effect('b')], catalog_id: ['d', 'c'] }),
  'two consequences': mutation({ consequence: [effect('b', known), effect('a')] }),
  'a consequence in no list': mutation({ consequence: effect('b', known) }),
  'a gene whose id is null': mutation({ consequence: [effect('b', { ...known, gene_id: null })] }),
  'changes of its own': mutation({ gene_aa_change: ['x'], consequence: [effect('b', known)] }),
}
const one = { observation_id: 'b' }
const occurrences: Readonly<Record<string, JsonObject>> = {
  'one observation': { case: { case_id: 'c', observation: [one] } },
  'two observations': { case: { observation: [one, { observation_id: 'a' }] } },
  'an observation that is none': { case: { observation: ['b'] } },
}

test.each([
  ...Object.entries(mutations).map(([what, one]) => ['ssms', what, one] as const),
  ...Object.entries(occurrences).map(([what, one]) => ['ssm_occurrences', what, one] as const),
] satisfies (readonly [DatasetName, string, JsonObject])[])(
  '%s with %s that is copied gets what finishing adds, and nothing else changes',
  (dataset, _, document) => {
    const added = addedAlone(dataset, document, undefined)
    const finished = structuredClone(document)
    if (dataset === 'ssms') finishMutation(finished, new GeneFacts())
    else finishOccurrence(finished)
    if (added) expect(JSON.stringify({ ...document, ...added })).toBe(JSON.stringify(finished))
  },
)

const file = (members: JsonObject): JsonObject => ({ file_id: 'f', ...members })
const files: Readonly<Record<string, JsonObject>> = {
  'a row of a manifest': file({ file_name: 'a.bam', md5sum: 'm', file_size: 5, state: 'live' }),
  'an open file': file({ file_name: 'a.maf.gz', data_type: 'Masked Somatic Mutation' }),
  'an access and a list of rights': file({ access: 'controlled', acl: ['phs1'], version: '2' }),
  'no name': file({}),
  'a rights list that access contradicts': file({ access: 'controlled', acl: ['open'] }),
  'an access that is null': file({ access: null }),
  'a release of its own': file({ data_release: '31.0' }),
  cases: file({ cases: [{ case_id: 'c' }] }),
  'a member without a value': file({ state: undefined }),
}

test.each(Object.entries(files))(
  'a file with %s that is copied gets what finishing adds, and nothing else changes',
  (_, document) => {
    const added = addedAlone('files', document, '32.0')
    const finished = JSON.parse(JSON.stringify(document)) as JsonObject
    const context = { release: '32.0', lastRelease: '31.0', earlierVersions: 0 }
    finishFile(finished, { ...context, projectOf: () => 'TCGA-LUAD' })
    if (added) expect(JSON.stringify({ ...document, ...added })).toBe(JSON.stringify(finished))
  },
)

test('files without cases, releases and empty members are copied once the release has a number', () => {
  const copied = Object.entries(files).flatMap(([what, one]) =>
    addedAlone('files', one, '32.0') ? [what] : [],
  )
  expect(copied).toEqual(Object.keys(files).slice(0, 4))
  expect(addedAlone('files', file({ file_name: 'a.bam' }), undefined)).toBeUndefined()
})

test('the usual rows of tables are copied, and other documents are not', () => {
  const isCopied = (dataset: DatasetName, all: Readonly<Record<string, JsonObject>>) =>
    Object.entries(all).flatMap(([what, one]) =>
      addedAlone(dataset, one, undefined) ? [what] : [],
    )
  expect(isCopied('ssms', mutations)).toEqual(Object.keys(mutations).slice(0, 6))
  expect(isCopied('ssm_occurrences', occurrences)).toEqual(['one observation'])
  expect(addedAlone('cases', { case_id: 'c' }, '32.0')).toBeUndefined()
})
