import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { DATASET_NAMES, type FieldTree } from './define.ts'
import { DATASETS } from './index.ts'
import { canonicalPath } from './resolve.ts'
import { defaultsOf } from './select.ts'
import { fieldsOf } from './tree.ts'

const CONTRACT = publicData('contract/fields.json')

interface CodeTree {
  readonly [name: string]: string | CodeTree
}

interface Endpoint {
  readonly id: string
  readonly doc_type: string
  readonly defaults: readonly string[]
  readonly expand: readonly string[]
  readonly nested: readonly string[]
  readonly legacy?: CodeTree
  readonly fields: CodeTree
}

const endpoints: Readonly<Record<string, Endpoint>> = available.shared
  ? JSON.parse(readFileSync(CONTRACT, 'utf8')).endpoints
  : {}

const TYPES: Readonly<Record<string, string>> = {
  k: 'keyword',
  K: 'exact',
  l: 'long',
  d: 'double',
  f: 'float',
  b: 'boolean',
  t: 'text',
}

/** The analysis endpoints serve `genes.case`. */
const isLeftOut = (name: string, path: string) => name === 'genes' && /^case(\.|$)/.test(path)

/** Fields in no group are defaults by data-commons.md 3.2, which takes precedence over fields.json. */
const MORE_DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  files: [
    'state_comment',
    'tags',
    'tmb',
    'tmb_exonic',
    'tmb_nonsynonymous',
    'tmb_nonsynonymous_exonic',
  ],
  annotations: ['legacy_created_datetime', 'legacy_updated_datetime'],
}

function* coded(tree: CodeTree, prefix = ''): Generator<readonly [string, string]> {
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node === 'string') yield [canonicalPath(prefix + name), TYPES[node] ?? node]
    else yield* coded(node, `${prefix}${name}.`)
  }
}

const sorted = (tree: FieldTree) => [...fieldsOf(tree)].sort()

const OF_CONTRACT = available.shared
  ? DATASET_NAMES.filter((name) => Object.hasOwn(endpoints, name))
  : DATASET_NAMES
/** Datasets that the public service does not have. */
const OF_OURS = DATASET_NAMES.filter((name) => !OF_CONTRACT.includes(name))

test.skipIf(!available.shared)('each endpoint of the contract is a dataset', () => {
  const names = Object.keys(endpoints).filter((name) => !name.startsWith('_'))
  expect(names.sort()).toEqual(OF_CONTRACT.toSorted())
})

// Records of these datasets must not be mistaken for those of the public service.
test.skipIf(!available.shared)('other datasets have ids and document types of their own', () => {
  const taken = Object.values(endpoints).flatMap(({ id, doc_type }) => [id, doc_type])
  for (const { name, idField, docType } of OF_OURS.map((each) => DATASETS[each])) {
    expect([name, taken.filter((each) => [idField, docType].includes(each))]).toEqual([name, []])
  }
})

describe.skipIf(!available.shared).each(OF_CONTRACT)('%s as the contract lists it', (name) => {
  const dataset = DATASETS[name]
  const endpoint = endpoints[name]!
  const kept = (paths: readonly string[]) => paths.filter((path) => !isLeftOut(name, path)).sort()

  test('has the same id and document type', () => {
    expect([dataset.idField, dataset.docType]).toEqual([endpoint.id, endpoint.doc_type])
  })

  test('has the same fields of the same types', () => {
    const expected = [...coded(endpoint.fields)].filter(([path]) => !isLeftOut(name, path))
    expect(sorted(dataset.fields)).toEqual(expected.sort())
  })

  test('hides the legacy fields', () => {
    const hidden = new Map(fieldsOf(dataset.hidden))
    for (const [path, type] of coded(endpoint.legacy ?? {})) {
      expect([path, hidden.get(path)]).toEqual([path, type])
    }
  })

  test('has the same defaults', () => {
    const expected = [...endpoint.defaults.map(canonicalPath), ...(MORE_DEFAULTS[name] ?? [])]
    expect(defaultsOf(dataset)).toEqual(expected.sort())
  })

  test('has the same groups to expand', () => {
    expect(dataset.expand).toEqual(kept(endpoint.expand))
  })

  test('has the same nested paths', () => {
    expect(dataset.nested).toEqual(kept(endpoint.nested))
  })
})

test.skipIf(!available.shared)(
  'what is hidden beyond legacy and completion is shown by others',
  () => {
    const more = OF_CONTRACT.flatMap((name) => {
      const legacy = new Set([...coded(endpoints[name]?.legacy ?? {})].map(([path]) => path))
      const paths = [...fieldsOf(DATASETS[name].hidden)].map(([path]) => path)
      // Consent codes are not in the public service, and reference contexts only in its mutation tables.
      const isKnown = (path: string) =>
        legacy.has(path) ||
        path.endsWith('_autocomplete') ||
        /(consent|reference_context)$/.test(path)
      return paths.filter((path) => !isKnown(path)).map((path) => `${name}.${path}`)
    })
    expect(more.sort()).toEqual([
      'cases.available_variation_data',
      'cases.diagnoses.cause_of_death',
      'cases.diagnoses.colon_polyps_history',
      'cases.diagnoses.days_to_hiv_diagnosis',
      'cases.diagnoses.days_to_new_event',
      'cases.diagnoses.hiv_positive',
      'cases.diagnoses.hpv_positive_type',
      'cases.diagnoses.hpv_status',
      'cases.diagnoses.ldh_level_at_diagnosis',
      'cases.diagnoses.ldh_normal_range_upper',
      'cases.diagnoses.new_event_anatomic_site',
      'cases.diagnoses.new_event_type',
      'cases.exposures.bmi',
      'projects.code',
    ])
  },
)
