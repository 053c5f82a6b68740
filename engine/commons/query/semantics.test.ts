import { describe, expect, test } from 'vitest'
import { and, ask, on, or } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

// Records are named after their values. Expected ids follow from the tables of data-commons.md 1.

describe('a flat field (data-commons.md 1.1)', () => {
  const release = memoryRelease({
    files: [
      { file_id: 'both', acl: ['Open', 'phs1'], file_size: 20 },
      { file_id: 'empty', acl: '', file_size: '7' },
      { file_id: 'missing' },
      { file_id: 'none', acl: [], file_size: null },
      { file_id: 'null', acl: null, file_size: 'unknown' },
      { file_id: 'open', acl: ['open'], file_size: 2.5 },
      { file_id: 'other', acl: 'phs2', file_size: -1 },
    ],
  })
  const ids = (filters: unknown) => ask(release, 'files', { filters }).ids

  test.each([
    [on('acl', '=', 'open'), ['both', 'open']],
    [on('acl', 'in', ['OPEN', 'phs2']), ['both', 'open', 'other']],
    [on('acl', 'in', []), []],
    [on('acl', '=', ''), ['empty']],
    [on('acl', '!=', 'open'), ['empty', 'missing', 'none', 'null', 'other']],
    [on('acl', 'exclude', ['open', 'phs2']), ['empty', 'missing', 'none', 'null']],
    [on('acl', 'exclude', []), ['both', 'empty', 'missing', 'none', 'null', 'open', 'other']],
    [on('acl', 'excludeifany', ['phs1', '']), ['missing', 'none', 'null', 'open', 'other']],
    [on('acl', 'is', 'MISSING'), ['missing', 'none', 'null']],
    [on('acl', 'not'), ['both', 'open', 'other']],
    [on('acl', 'not', 'open'), ['empty', 'missing', 'none', 'null', 'other']],
    [and(on('acl', 'in', ['open']), on('acl', 'in', ['phs1'])), ['both']],
    [on('file_size', '=', '20'), ['both']],
    [on('file_size', 'in', ['2.50', 7]), ['empty', 'open']],
    [on('file_size', '<', 7), ['open', 'other']],
    [on('file_size', '<=', '7'), ['empty', 'open', 'other']],
    [on('file_size', '>', [2.5]), ['both', 'empty']],
    [on('file_size', '>=', 2.4), ['both', 'empty', 'open']],
    [on('file_size', '!=', 20), ['empty', 'missing', 'none', 'null', 'open', 'other']],
    [on('file_size', 'is', 'MISSING'), ['missing', 'none', 'null']],
    [on('file_size', 'not'), ['both', 'empty', 'open', 'other']],
    [
      { op: 'range', content: { field: 'file_size', ranges: [{ from: 2.5, to: 20 }, { to: 0 }] } },
      ['empty', 'open', 'other'],
    ],
    [on('submitter_id', '=', 'x'), []],
    [on('submitter_id', '!=', 'x'), ['both', 'empty', 'missing', 'none', 'null', 'open', 'other']],
  ])('%j passes %j', (filter, expected) => {
    expect(ids(filter)).toEqual(expected)
  })

  test('a condition and its negation share the records among them', () => {
    const all = ids(undefined)
    for (const [op, negation] of [
      ['in', 'exclude'],
      ['in', 'excludeifany'],
      ['exclude', 'in'],
    ] as const) {
      const value = ['open', 'phs*']
      expect([...ids(on('acl', op, value)), ...ids(on('acl', negation, value))].sort()).toEqual(all)
    }
  })
})

describe('a field of nested elements (data-commons.md 1.1)', () => {
  const release = memoryRelease({
    cases: [
      {
        case_id: 'both',
        diagnoses: [
          { classification_of_tumor: 'metastasis' },
          { classification_of_tumor: 'primary' },
        ],
      },
      { case_id: 'childless', diagnoses: [] },
      { case_id: 'lacking', diagnoses: [{ classification_of_tumor: null, age_at_diagnosis: 5 }] },
      { case_id: 'metastasis', diagnoses: [{ classification_of_tumor: 'Metastasis' }] },
      {
        case_id: 'partly',
        diagnoses: [{ classification_of_tumor: 'metastasis' }, { age_at_diagnosis: 9 }],
      },
      { case_id: 'primary', diagnoses: [{ classification_of_tumor: 'primary' }] },
      { case_id: 'without' },
    ],
  })
  const field = 'diagnoses.classification_of_tumor'
  const ids = (filters: unknown) => ask(release, 'cases', { filters }).ids

  test.each([
    [on(field, '=', 'metastasis'), ['both', 'metastasis', 'partly']],
    [on(field, 'exclude', 'metastasis'), ['both', 'lacking', 'partly', 'primary']],
    [on(field, '!=', ['metastasis', 'primary']), ['lacking', 'partly']],
    [on(field, 'excludeifany', 'metastasis'), ['childless', 'lacking', 'primary', 'without']],
    [on(field, 'is', 'MISSING'), ['lacking', 'partly']],
    [on(field, 'not'), ['both', 'metastasis', 'partly', 'primary']],
    [on('diagnoses.age_at_diagnosis', '<', 6), ['lacking']],
    [on('diagnoses.age_at_diagnosis', '>=', 5), ['lacking', 'partly']],
    [
      on('diagnoses.morphology', 'is', 'MISSING'),
      ['both', 'lacking', 'metastasis', 'partly', 'primary'],
    ],
    [on('exposures.pack_years_smoked', 'is', 'MISSING'), []],
    [on('exposures.pack_years_smoked', '!=', 1), []],
    [
      on('exposures.pack_years_smoked', 'excludeifany', 1),
      ['both', 'childless', 'lacking', 'metastasis', 'partly', 'primary', 'without'],
    ],
  ])('%j passes %j', (filter, expected) => {
    expect(ids(filter)).toEqual(expected)
  })

  test('the worked example: = and exclude find the case of both, excludeifany does not', () => {
    const found = (op: string) =>
      ids(and(on('case_id', '=', 'both'), on(field, op, ['metastasis'])))
    expect([found('='), found('exclude'), found('excludeifany')]).toEqual([['both'], ['both'], []])
  })
})

describe('scoping (data-commons.md 1.3)', () => {
  const file = (id: string, cases: readonly string[], more: object) => ({
    file_id: id,
    cases: cases.map((case_id) => ({ case_id })),
    ...more,
  })
  const release = memoryRelease({
    projects: [{ project_id: 'P', program: { name: 'TCGA' } }],
    cases: [
      { case_id: 'apart', project: { project_id: 'P' } },
      { case_id: 'childless', project: { project_id: 'P' } },
      { case_id: 'dangling', project: { project_id: 'Q' } },
      { case_id: 'one', project: { project_id: 'P' } },
    ],
    files: [
      file('a1', ['apart'], { data_type: 'X', experimental_strategy: 'S', access: 'open' }),
      file('a2', ['apart'], {
        data_type: 'Y',
        experimental_strategy: 'T',
        access: 'controlled',
        data_format: 'BAM',
        analysis: { input_files: [{ access: 'open', file_id: 'i1' }, { access: 'closed' }] },
      }),
      file('o1', ['one', 'dangling'], {
        data_type: 'X',
        experimental_strategy: 'T',
        access: 'open',
        data_format: 'BAM',
        analysis: { input_files: [{ access: 'closed', file_id: 'i1' }] },
      }),
      file('o2', ['one', 'one'], { data_type: 'Z', access: 'open', data_format: 'VCF' }),
    ],
  })
  const ids = (filters: unknown) => ask(release, 'cases', { filters }).ids

  const X = on('files.data_type', '=', 'X')
  const T = on('files.experimental_strategy', '=', 'T')

  test('conditions of one and hold on one element', () => {
    expect(ids(and(X, T))).toEqual(['dangling', 'one'])
  })

  test('an and within an and does not change that', () => {
    expect(ids(and(and(X), and(and(T))))).toEqual(['dangling', 'one'])
  })

  test('operands of an or, and an or within an and, stand alone', () => {
    expect(ids(and(X, or(T)))).toEqual(['apart', 'dangling', 'one'])
    expect(ids(or(and(X, T), on('files.data_type', '=', 'Y')))).toEqual([
      'apart',
      'dangling',
      'one',
    ])
  })

  test('a negative condition applies to the same element', () => {
    const notBam = on('files.data_format', '!=', 'bam')
    expect(ids(and(on('files.access', '=', 'open'), notBam))).toEqual(['apart', 'one'])
    expect(ids(and(X, notBam))).toEqual(['apart'])
    expect(ids(and(T, on('files.data_format', 'is', 'MISSING')))).toEqual([])
  })

  test('excludeifany applies to the whole record', () => {
    expect(ids(and(X, on('files.data_format', 'excludeifany', 'vcf')))).toEqual([
      'apart',
      'dangling',
    ])
  })

  test('deeper paths share as far as their prefixes go', () => {
    const input = (field: string, value: string) =>
      on(`files.analysis.input_files.${field}`, '=', value)
    expect(ids(and(input('access', 'open'), input('file_id', 'i1')))).toEqual(['apart'])
    expect(ids(and(input('access', 'closed'), input('file_id', 'i1'), T))).toEqual([
      'dangling',
      'one',
    ])
    expect(ids(and(input('file_id', 'i1'), X))).toEqual(['dangling', 'one'])
    expect(ids(and(input('access', 'open'), X))).toEqual([])
    const deepNot = on('files.analysis.input_files.file_id', '!=', 'i1')
    expect(ids(and(input('access', 'closed'), deepNot))).toEqual(['apart'])
  })

  test('conditions on fields that are not nested combine on the record', () => {
    const program = on('project.program.name', '=', 'TCGA')
    expect(ids(and(program, on('cases.project.project_id', '=', 'P')))).toEqual([
      ...['apart', 'childless', 'one'],
    ])
    expect(ids(on('project.project_id', 'is', 'MISSING'))).toEqual(['dangling'])
    expect(ids(on('project.project_id', '!=', 'P'))).toEqual(['dangling'])
  })

  test('conditions on a linked record apply to the element that names it', () => {
    const found = (filters: unknown) => ask(release, 'files', { filters }).ids
    expect(found(on('cases.project.project_id', '=', 'P'))).toEqual(['a1', 'a2', 'o1', 'o2'])
    expect(found(on('cases.project.project_id', '!=', 'P'))).toEqual(['o1'])
    expect(found(on('cases.project.project_id', 'is'))).toEqual(['o1'])
    const both = and(on('cases.case_id', '=', 'one'), on('cases.project.project_id', 'is'))
    expect(found(both)).toEqual([])
  })
})

describe('names and values (data-commons.md 1.2, 1.4)', () => {
  const release = memoryRelease({
    files: [
      { file_id: 'a', data_type: 'Raw Data', data_format: 'TXT', version: '1', tags: ['x?z'] },
      { file_id: 'b', data_type: 'raw data', data_format: 'txt.gz', version: '10', tags: ['xyz'] },
      { file_id: 'c', data_type: 'Raw', data_format: '', version: '2', tags: [''] },
      { file_id: 'd', created_datetime: '2020-05-01T00:00:00', proc_internal: 'old' },
      { file_id: 'e', created_datetime: '2021-01-01T00:00:00', tags: ['set_id:s', 'éa', 'éb'] },
    ],
    ssms: [
      { ssm_id: 's1', consequence: [{ transcript: { is_canonical: true } }] },
      { ssm_id: 's2', consequence: [{ transcript: { is_canonical: 'False' } }] },
      { ssm_id: 's3', consequence: [{ transcript: {} }], catalog_id: ['COSM1'] },
    ],
  })
  const ids = (filters: unknown) => ask(release, 'files', { filters }).ids

  test.each([
    [on('data_type', '=', 'raw data'), ['b']],
    [on('data_format', '=', 'Txt'), ['a']],
    [on('files.data_format', '=', 'TXT'), ['a']],
    [on('data_format', '=', 'TXT*'), ['a', 'b']],
    [on('data_format', '=', '*'), ['a', 'b', 'c']],
    [on('data_format', '=', '*t*'), ['a', 'b']],
    [on('data_format', '=', 'T*T'), ['a']],
    [on('data_format', '=', 't*x*z'), ['b']],
    [on('data_format', '=', 'txt*txt'), []],
    [on('data_type', 'in', ['Raw*', 'nothing']), ['a', 'c']],
    [on('data_type', '!=', ['Raw*', 'raw*']), ['d', 'e']],
    [on('data_type', 'excludeifany', '*Data'), ['b', 'c', 'd', 'e']],
    [on('tags', '=', 'x?z'), ['a']],
    [on('tags', '=', 'é*'), ['e']],
    [on('tags', '=', 'set_id:*'), []],
    [on('tags', '=', 'set_id:t'), []],
    [on('version', '<', '2'), ['a', 'b']],
    [on('version', '>=', 2), ['c']],
    [on('created_datetime', '>=', '2020-06'), ['e']],
    [on('created_datetime', '<', '2020-05-01T00:00:01'), ['d']],
    [on('proc_internal', '=', 'OLD'), ['d']],
    [on('data_format', '<=', 'TXT'), ['a', 'c']],
    [on('data_format', '>', 'txt'), ['b']],
  ])('%j passes %j', (filter, expected) => {
    expect(ids(filter)).toEqual(expected)
  })

  test('booleans are equal however they are written', () => {
    const canonical = (value: unknown) => {
      const filters = on('consequence.transcript.is_canonical', '=', value)
      return ask(release, 'ssms', { filters }).ids
    }
    expect([true, 'true', 'True'].map(canonical)).toEqual([['s1'], ['s1'], ['s1']])
    expect([false, 'FALSE'].map(canonical)).toEqual([['s2'], ['s2']])
    expect(canonical('maybe')).toEqual([])
  })

  test('names of the real service find the fields of this one', () => {
    expect(ask(release, 'ssms', { filters: on('cosmic_id', '=', 'cosm1') }).ids).toEqual(['s3'])
  })
})
