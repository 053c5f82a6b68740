import { describe, expect, test } from 'vitest'
import { DATASETS } from './index.ts'
import { createResolver } from './resolver.ts'
import {
  defaultsOf,
  type SelectionRequest,
  selectFacets,
  selectFields,
  sortKeys,
} from './select.ts'

const { cases, files, projects, ssms } = DATASETS

const facetsOf = (dataset: (typeof DATASETS)['files'], names: readonly string[]) =>
  selectFacets(names, createResolver(dataset))

function select(
  dataset: (typeof DATASETS)['files'],
  request: SelectionRequest,
  mode: 'list' | 'single' = 'list',
) {
  const { selection, warnings } = selectFields(dataset, request, mode)
  return { paths: selection.leaves.map(({ path }) => path), selection, warnings }
}

describe('without fields and expand', () => {
  test('the defaults are shown: fields in no group', () => {
    expect(select(projects, {}).paths).toEqual([
      'disease_type',
      'name',
      'primary_site',
      'project_id',
      'registry_accession_number',
      'releasable',
      'released',
      'state',
    ])
    expect(select(DATASETS.ssm_occurrences, {}).paths).toEqual(['ssm_occurrence_id'])
    expect(select(files, {}).paths).toEqual(
      expect.arrayContaining(['md5sum', 'version', 'data_release', 'tumor_purity']),
    )
    expect(select(files, {}).paths).not.toContain('proc_internal')
  })

  test('empty lists and blank names are the same as none', () => {
    for (const request of [{ fields: [] }, { fields: [''], expand: [' '] }]) {
      expect(select(files, request)).toEqual(select(files, {}))
    }
  })
})

describe('fields', () => {
  test('are shown as asked, nothing else', () => {
    expect(select(files, { fields: ['file_id', 'cases.project.project_id'] })).toMatchObject({
      paths: ['file_id', 'cases.project.project_id'],
      warnings: {},
    })
  })

  test('keep the spelling that was asked for', () => {
    const { selection } = select(ssms, { fields: ['cosmic_id', 'catalog_id'] })
    expect(selection.leaves).toEqual([
      { path: 'catalog_id', as: 'cosmic_id' },
      { path: 'catalog_id', as: 'catalog_id' },
    ])
  })

  test('may be hidden ones', () => {
    expect(select(cases, { fields: ['demographic.gender'] })).toMatchObject({
      paths: ['demographic.gender'],
      warnings: {},
    })
  })

  test('that are unknown, groups, or have the own prefix are left out with a warning', () => {
    const fields = ['a.b', 'file_id', 'cases', 'files.access', 'a.b', '__proto__']
    expect(select(files, { fields })).toMatchObject({
      paths: ['file_id'],
      warnings: {
        fields:
          'unrecognized values: [a.b, cases, files.access, __proto__]; did you mean "access" for "files.access"?',
      },
    })
  })

  test('of which none is known leave the id of list hits only', () => {
    expect(select(files, { fields: ['nope'] }).selection).toEqual({ leaves: [], withId: true })
    expect(select(files, { fields: ['nope'] }, 'single').selection.withId).toBe(false)
  })
})

describe('expand', () => {
  test('adds to the defaults', () => {
    const { paths } = select(cases, { expand: ['project.program'] })
    expect(paths.slice(0, -3)).toEqual(defaultsOf(cases))
    expect(paths.slice(-3).toSorted()).toEqual([
      'project.program.name',
      'project.program.program_id',
      'project.program.registry_accession_number',
    ])
  })

  // Vectors 11, 36 and 60 of the contract.
  test('with fields drops the defaults', () => {
    const request = { fields: ['project.project_id'], expand: ['project.program'] }
    expect(select(cases, request).paths.toSorted()).toEqual([
      'project.program.name',
      'project.program.program_id',
      'project.program.registry_accession_number',
      'project.project_id',
    ])
  })

  test('with fields of which none is known drops the defaults too', () => {
    const { paths } = select(projects, { fields: ['nope'], expand: ['program'] })
    expect(paths.toSorted()).toEqual([
      'program.name',
      'program.program_id',
      'program.registry_accession_number',
    ])
  })

  test('of the summary of a project or a case shows its groups too', () => {
    const shown = (dataset: typeof cases) =>
      select(dataset, { fields: ['nope'], expand: ['summary'] }).paths.toSorted()
    expect(shown(projects)).toEqual([
      'summary.case_count',
      'summary.data_categories.case_count',
      'summary.data_categories.data_category',
      'summary.data_categories.file_count',
      'summary.experimental_strategies.case_count',
      'summary.experimental_strategies.experimental_strategy',
      'summary.experimental_strategies.file_count',
      'summary.file_count',
      'summary.file_size',
    ])
    expect(shown(cases)).toEqual([
      'summary.data_categories.data_category',
      'summary.data_categories.file_count',
      'summary.experimental_strategies.experimental_strategy',
      'summary.experimental_strategies.file_count',
      'summary.file_count',
      'summary.file_size',
    ])
    const { paths } = select(files, { fields: ['nope'], expand: ['cases.summary'] })
    expect(paths.toSorted()).toEqual(['cases.summary.file_count', 'cases.summary.file_size'])
  })

  test('of a group shows the fields directly in it', () => {
    const { paths } = select(ssms, { fields: ['ssm_id'], expand: ['consequence.transcript'] })
    expect(paths).toContain('consequence.transcript.is_canonical')
    expect(paths.filter((path) => /annotation|gene\.|consequence_id/.test(path))).toEqual([])
    const diagnoses = select(cases, { expand: ['diagnoses'] }).paths
    expect(diagnoses.filter((path) => path.startsWith('diagnoses.treatments'))).toEqual([])
  })

  // Vector 21; clients read `is_ffpe` of expanded samples (data-commons.md 8.3).
  test('of a group shows its legacy fields', () => {
    expect(select(files, { expand: ['cases.samples'] }).paths).toEqual(
      expect.arrayContaining(['cases.samples.is_ffpe', 'cases.samples.tumor_code_id']),
    )
  })

  test('of a field shows that field', () => {
    const request = { fields: ['submitter_id'], expand: ['files.access'] }
    expect(select(cases, request)).toMatchObject({
      paths: ['submitter_id', 'files.access'],
      warnings: {},
    })
  })

  test('of an unknown group is left out with a warning', () => {
    expect(select(files, { expand: ['cases', 'nope', 'files.cases'] }).warnings).toEqual({
      expand: 'unrecognized values: [nope, files.cases]; did you mean "cases" for "files.cases"?',
    })
  })
})

test('list hits always carry the id, single records when nothing is asked for', () => {
  expect(select(files, { fields: ['access'] }, 'list').selection.withId).toBe(true)
  expect(select(files, {}, 'single').selection.withId).toBe(true)
  expect(select(files, { fields: ['access'] }, 'single').selection.withId).toBe(false)
  expect(select(files, { expand: ['cases'] }, 'single').selection.withId).toBe(false)
})

describe('facets', () => {
  test('keep the name that was sent', () => {
    const { facets, warning } = facetsOf(projects, ['dbgap_accession_number', 'program.name'])
    expect(facets.map(({ name, field }) => [name, field.path])).toEqual([
      ['dbgap_accession_number', 'registry_accession_number'],
      ['program.name', 'program.name'],
    ])
    expect(warning).toBeUndefined()
  })

  test('that are unknown, groups, or have the own prefix are left out with a warning', () => {
    expect(facetsOf(files, ['files.data_category', 'cases', 'nope'])).toEqual({
      facets: [],
      warning:
        'unrecognized values: [files.data_category, cases, nope]; did you mean "data_category" for "files.data_category"?',
    })
  })
})

describe('sort', () => {
  test('takes a field with or without a direction', () => {
    const texts = ['project_id', 'name:asc', ' state : DESC ', '']
    expect(
      sortKeys(projects, texts).map(({ field, descending }) => [field.path, descending]),
    ).toEqual([
      ['project_id', false],
      ['name', false],
      ['state', true],
    ])
  })

  test.each(['nope', 'projects.name', 'summary', ':desc', 'name:up', 'name:asc:desc', 'name:'])(
    'refuses %j',
    (text) => {
      expect(() => sortKeys(projects, [text])).toThrow(
        expect.objectContaining({ code: 'bad_input', at: 'sort' }),
      )
    },
  )
})
