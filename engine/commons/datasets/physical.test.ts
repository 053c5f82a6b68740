import { expect, test } from 'vitest'
import { DATASETS } from './index.ts'
import { physicalOf } from './physical.ts'

const pathsOf = (parts: readonly { readonly path: string }[]) => parts.map(({ path }) => path)

test('the documents of files hold their cases by id, and the samples they came from', () => {
  const { levels, fields, links } = physicalOf(DATASETS.files)
  expect(links).toEqual([{ at: 'cases', level: 'cases', dataset: 'cases', idAt: 'cases.case_id' }])
  expect(levels).toContainEqual({ path: 'cases', parent: '' })
  expect(levels).toContainEqual({ path: 'cases.samples', parent: 'cases' })
  expect(pathsOf(levels)).not.toContain('cases.diagnoses')
  expect(pathsOf(fields)).not.toContain('cases.case_id')
  expect(pathsOf(fields)).not.toContain('cases.submitter_id')
  expect(fields).toContainEqual({
    path: 'cases.samples.tumor_code',
    type: 'keyword',
    level: 'cases.samples',
  })
})

test('the documents of cases hold no files and no project but its id', () => {
  const { levels, fields, links } = physicalOf(DATASETS.cases)
  expect(links).toEqual([
    { at: 'project', level: '', dataset: 'projects', idAt: 'project.project_id' },
  ])
  expect(pathsOf(levels).filter((path) => path.startsWith('files'))).toEqual([])
  expect(pathsOf(fields).filter((path) => /^(files|project)\./.test(path))).toEqual([])
  expect(fields).toContainEqual({ path: 'available_variation_data', type: 'keyword', level: '' })
})

test('the documents of occurrences hold what was observed', () => {
  const { levels, fields, links } = physicalOf(DATASETS.cnv_occurrences)
  expect(links.map(({ at, level }) => [at, level])).toEqual([
    ['cnv', ''],
    ['case', ''],
  ])
  expect(levels).toEqual([{ path: 'case.observation', parent: '' }])
  expect(pathsOf(fields)).toEqual([
    'case.observation.observation_id',
    'case.observation.sample.tumor_sample_barcode',
    'case.observation.sample.tumor_sample_uuid',
    'case.observation.src_file_id',
    'case.observation.variant_calling.variant_caller',
    'case.observation.variant_status',
    'cnv.variant_status',
    'cnv_occurrence_autocomplete',
    'cnv_occurrence_id',
  ])
})

test('fields below an object that is no level belong to the level above it', () => {
  const { fields } = physicalOf(DATASETS.ssms)
  const levels = new Map(fields.map(({ path, level }) => [path, level]))
  expect(levels.get('consequence.transcript.annotation.vep_impact')).toBe('consequence')
  expect(levels.get('clinical_annotations.civic.gene_id')).toBe('')
})
