import { describe, expect, test } from 'vitest'
import { DATASET_NAMES } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { answer, type Document } from './simple-evaluator.ts'
import { type OwnDocuments, wholeDocuments } from './whole-documents.ts'

// Tests the evaluator itself with the contract's own examples.

const leaf = (op: string, field: string, value?: unknown) => ({
  op,
  content: value === undefined ? { field } : { field, value },
})
const and = (...content: unknown[]) => ({ op: 'and', content })
const or = (...content: unknown[]) => ({ op: 'or', content })

/** Ids (a to z in the given order) of the cases that a filter finds. */
function found(documents: readonly Document[], filters: unknown, sort: readonly string[] = []) {
  const cases = documents.map((document, row) => ({
    case_id: String.fromCharCode(97 + row),
    ...document,
  }))
  return answer(DATASETS.cases, cases, { filters, sort, from: 0, size: 100 }).ids.join('')
}

function facet(documents: readonly Document[], name: string, filters?: unknown) {
  const cases = documents.map((document, row) => ({ case_id: `case-${row}`, ...document }))
  const asked = { filters, facets: [name], from: 0, size: 0 }
  return answer(DATASETS.cases, cases, asked).aggregations[name]
}

describe('operators (data-commons.md 1.1)', () => {
  // Vectors 11 to 13 have one case with a metastasis and a primary tumour.
  const tumours = [
    {
      diagnoses: [
        { classification_of_tumor: 'metastasis' },
        { classification_of_tumor: 'primary' },
      ],
    },
  ]
  const classification = 'diagnoses.classification_of_tumor'
  test.each([
    ['=', 'a'],
    ['exclude', 'a'],
    ['excludeifany', ''],
  ])('a case with metastasis and primary tumour is found by %s: "%s"', (op, ids) => {
    expect(found(tumours, leaf(op, classification, ['metastasis']))).toBe(ids)
  })

  const nested = [
    { diagnoses: [{ tumor_grade: 'G1' }] },
    { diagnoses: [{ tumor_grade: 'G1' }, { morphology: '8140/3' }] },
    { diagnoses: [{ tumor_grade: null }] },
    { diagnoses: [] },
    {},
    { diagnoses: [{ tumor_grade: '' }] },
  ]
  test.each([
    ['=', ['G1'], 'ab'],
    ['exclude', ['G1'], 'bcf'],
    ['!=', 'G1', 'bcf'],
    ['excludeifany', ['G1'], 'cdef'],
    ['is', 'MISSING', 'bc'],
    ['is', undefined, 'bc'],
    ['not', undefined, 'ab'],
    ['NOT', 'missing', 'ab'],
    ['not', 'G1', 'bcf'],
  ])('on a nested field %s %j finds "%s"', (op, value, ids) => {
    expect(found(nested, leaf(op, 'diagnoses.tumor_grade', value))).toBe(ids)
  })

  const flat = [{ primary_site: 'Brain' }, { primary_site: null }, {}, { primary_site: 'Skin' }]
  test.each([
    ['in', ['brain'], 'a'],
    ['exclude', ['brain'], 'bcd'],
    ['excludeifany', ['brain'], 'bcd'],
    ['is', 'missing', 'bc'],
    ['not', undefined, 'ad'],
    ['>', 'brain', 'd'],
  ])('on a flat field %s %j finds "%s"', (op, value, ids) => {
    expect(found(flat, leaf(op, 'primary_site', value))).toBe(ids)
  })
})

describe('scopes (data-commons.md 1.3)', () => {
  const files = [
    {
      files: [
        { access: 'open', data_format: 'BAM' },
        { access: 'controlled', data_format: 'VCF' },
      ],
    },
    { files: [{ access: 'open', data_format: 'VCF' }] },
    { files: [{ access: 'open' }] },
    { files: [] },
  ]
  test('conditions of one "and" hold on one element', () => {
    const open = leaf('=', 'files.access', 'open')
    expect(found(files, and(open, leaf('=', 'files.data_format', 'VCF')))).toBe('b')
    expect(found(files, and(and(open), and(leaf('=', 'files.data_format', 'VCF'))))).toBe('b')
    expect(found(files, and(open, leaf('!=', 'files.data_format', 'BAM')))).toBe('bc')
    expect(found(files, and(open, leaf('is', 'files.data_format')))).toBe('c')
  })

  test('each alternative of "or" has its own element', () => {
    const either = or(leaf('=', 'files.data_format', 'VCF'))
    expect(found(files, and(leaf('=', 'files.access', 'open'), either))).toBe('ab')
  })

  test('deeper paths share as far as they are the same', () => {
    const samples = [
      {
        samples: [
          { sample_type: 'A', portions: [{ is_ffpe: 'true', portion_number: '11' }] },
          { sample_type: 'B', portions: [{ is_ffpe: 'false' }, { portion_number: '21' }] },
        ],
      },
    ]
    const type = (value: string) => leaf('=', 'samples.sample_type', value)
    const ffpe = (value: string) => leaf('=', 'samples.portions.is_ffpe', value)
    const number = leaf('=', 'samples.portions.portion_number', '21')
    expect(found(samples, and(type('A'), ffpe('true')))).toBe('a')
    expect(found(samples, and(type('B'), ffpe('true')))).toBe('')
    expect(found(samples, and(type('B'), ffpe('false'), number))).toBe('')
    expect(found(samples, and(type('B'), number))).toBe('a')
  })
})

describe('values (data-commons.md 1.4)', () => {
  test('keywords are compared in lower case, exact fields as they are', () => {
    expect(found([{ primary_site: 'Brain' }], leaf('=', 'primary_site', 'BRAIN'))).toBe('a')
    expect(found([{ submitter_id: 'Ab' }], leaf('=', 'submitter_id', 'ab'))).toBe('')
    expect(found([{ submitter_id: 'Ab' }], leaf('=', 'submitter_id', 'Ab'))).toBe('a')
  })

  test('a star stands for any run of characters of the whole value', () => {
    const sites = [{ primary_site: 'Mucinous Adenocarcinoma' }, { primary_site: 'cnXme' }]
    expect(found(sites, leaf('=', 'primary_site', '*Adenocarcinoma'))).toBe('a')
    expect(found(sites, leaf('in', 'primary_site', ['cn*me', 'nothing']))).toBe('b')
    expect(found(sites, leaf('in', 'primary_site', 'cn*m'))).toBe('')
    expect(found(sites, leaf('exclude', 'primary_site', 'cn?me*'))).toBe('ab')
  })

  test('numbers may be texts, lists and decimals', () => {
    const days = [{ days_to_consent: 20 }, { days_to_consent: '21' }, { days_to_consent: null }]
    for (const value of [20, '20', [20], ['20'], 20.0]) {
      expect(found(days, leaf('=', 'days_to_consent', value))).toBe('a')
    }
    expect(found(days, leaf('>=', 'days_to_consent', ['20.5', 0]))).toBe('b')
  })

  test('the own name may stand in front, and real names are understood', () => {
    const projects = [{ project: { registry_accession_number: 'R1' } }]
    expect(found(projects, leaf('=', 'cases.project.dbgap_accession_number', 'r1'))).toBe('a')
  })

  test.each([[undefined], [null], [''], [{}]])('the filter %j matches all', (filters) => {
    expect(found([{}, {}], filters)).toBe('ab')
  })
})

describe('facets (data-commons.md 3.4)', () => {
  // These are the first lines of vector 25.
  test('buckets are ordered by count, then by key, and show the folded value', () => {
    const names = ['TCGA', 'TCGA', 'TCGA', 'MATCH', 'CPTAC', 'CGCI', 'CGCI']
    const programs = names.map((name) => ({ project: { program: { name } } }))
    expect(facet(programs, 'project.program.name')).toEqual({
      buckets: [
        { doc_count: 3, key: 'TCGA' },
        { doc_count: 2, key: 'CGCI' },
        { doc_count: 1, key: 'CPTAC' },
        { doc_count: 1, key: 'MATCH' },
      ],
    })
  })

  // By vector 26, the filter on the facet's own field is ignored, and the other one is not.
  test('a facet leaves out the filter on its own field', () => {
    const site = (program: string, ...primary_site: string[]) => ({
      project: { program: { name: program }, primary_site },
    })
    const cases = [site('TCGA', 'Kidney'), site('TCGA', 'Brain', 'Kidney'), site('X', 'Skin')]
    const filters = and(
      leaf('=', 'cases.project.primary_site', 'Brain'),
      leaf('=', 'project.program.name', 'TCGA'),
    )
    expect(facet(cases, 'project.primary_site', filters)).toEqual({
      buckets: [
        { doc_count: 2, key: 'kidney' },
        { doc_count: 1, key: 'brain' },
      ],
    })
  })

  test('a facet keeps ranges on its own field', () => {
    const days = [1, 2, 3].map((days_to_consent) => ({ days_to_consent }))
    const filters = and(leaf('>', 'days_to_consent', 1), leaf('!=', 'days_to_consent', 3))
    expect(facet(days, 'days_to_consent', filters)).toEqual({
      stats: { count: 2, min: 2, max: 3, avg: 2.5, sum: 5 },
    })
  })

  test('records are counted, not elements; those with an element that lacks the field apart', () => {
    const samples = [
      { samples: [{ sample_type: 'Tumor' }, { sample_type: 'tumor' }] },
      { samples: [{ sample_type: 'Blood' }, { tissue_type: 'x' }] },
      { samples: [] },
      {},
    ]
    expect(facet(samples, 'samples.sample_type')).toEqual({
      buckets: [
        { doc_count: 1, key: 'blood' },
        { doc_count: 1, key: 'tumor' },
        { doc_count: 1, key: '_missing' },
      ],
    })
  })

  test('numbers without any value have null statistics', () => {
    expect(facet([{}], 'days_to_consent')).toEqual({
      stats: { count: 0, min: null, max: null, avg: null, sum: 0 },
    })
  })
})

describe('sorting (data-commons.md 2.1)', () => {
  const cases = [
    { primary_site: 'b', days_to_consent: 1 },
    { days_to_consent: 3 },
    { primary_site: 'A', days_to_consent: 2 },
    { primary_site: 'a', days_to_consent: 1 },
  ]
  test.each([
    [['primary_site'], 'cdab'],
    [['primary_site:desc'], 'acdb'],
    [['primary_site:asc', 'days_to_consent:asc'], 'dcab'],
    [['days_to_consent:desc'], 'bcad'],
    [[], 'abcd'],
  ])('%j gives "%s": missing last, equal ones by id', (sort, ids) => {
    expect(found(cases, undefined, sort)).toBe(ids)
  })
})

describe('whole documents', () => {
  const all = {
    ...(Object.fromEntries(DATASET_NAMES.map((name) => [name, []])) as unknown as OwnDocuments),
    projects: [{ project_id: 'P', name: 'one' }],
    cases: [
      {
        case_id: 'c1',
        project: { project_id: 'P' },
        samples: [{ sample_id: 's1' }, { sample_id: 's2' }],
      },
      { case_id: 'c2' },
    ],
    files: [
      {
        file_id: 'f1',
        cases: [{ case_id: 'c1', samples: [{ sample_id: 's2' }] }, { case_id: 'c2' }],
      },
      { file_id: 'f2', cases: [{ case_id: 'gone', samples: [{ sample_id: 's9' }] }] },
    ],
    ssms: [{ ssm_id: 'm1' }],
    ssm_occurrences: [
      { ssm_occurrence_id: 'o1', ssm: { ssm_id: 'm1' }, case: { case_id: 'c2', observation: [] } },
    ],
  } satisfies OwnDocuments

  test('a file shows its cases with the samples that it came from alone', () => {
    expect(wholeDocuments(all, 'files')).toEqual([
      {
        file_id: 'f1',
        cases: [
          {
            case_id: 'c1',
            project: { project_id: 'P', name: 'one' },
            samples: [{ sample_id: 's2' }],
          },
          { case_id: 'c2' },
        ],
      },
      { file_id: 'f2', cases: [{ samples: [{ sample_id: 's9' }] }] },
    ])
  })

  test('a case shows the files that name it, a mutation its occurrences under their names', () => {
    const cases = wholeDocuments(all, 'cases')
    expect(cases.map(({ files }) => (files as Document[]).map(({ file_id }) => file_id))).toEqual([
      ['f1'],
      ['f1'],
    ])
    const [mutation] = wholeDocuments(all, 'ssms')
    expect(mutation?.occurrence).toMatchObject([
      { occurrence_id: 'o1', case: { case_id: 'c2', observation: [] } },
    ])
  })
})
