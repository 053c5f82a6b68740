import { describe, expect, test } from 'vitest'
import { DATASET_NAMES, type Dataset } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { DATASETS } from './index.ts'
import { type Physical, physicalOf } from './physical.ts'
import { canonicalPath, resolveField } from './resolve.ts'
import { createResolver } from './resolver.ts'
import { fieldsOf } from './tree.ts'

const { annotations, cases, files, projects, ssms } = DATASETS

/** Formats a path: `[level]` is a nested level, `(level)` another level, `>` a link, `<` a reverse link. */
function joinPathOf(field: FieldPath | undefined): string | undefined {
  const step = (each: Step) => {
    if (each.kind === 'link') return `>${each.target}`
    const name = each.kind === 'level' ? each.level : `<${each.target}`
    return each.nested ? `[${name}]` : `(${name})`
  }
  return (
    field && [...field.steps.map(step), `${field.column.dataset}/${field.column.path}`].join(' ')
  )
}

const all = DATASET_NAMES.map((name) => DATASETS[name])

/** Every field of every dataset, hidden ones included. */
const everyField = all.flatMap((dataset) =>
  [...fieldsOf(dataset.fields), ...fieldsOf(dataset.hidden)].map(
    ([path, type]) => ({ dataset, path, type }) as const,
  ),
)

describe('a way to a field', () => {
  test.each<[Dataset, string, string]>([
    [
      projects,
      'summary.data_categories.file_count',
      '[summary.data_categories] projects/summary.data_categories.file_count',
    ],
    [files, 'access', 'files/access'],
    [
      files,
      'analysis.metadata.read_groups.read_group_qcs.encoding',
      '[analysis.metadata.read_groups] [analysis.metadata.read_groups.read_group_qcs] files/analysis.metadata.read_groups.read_group_qcs.encoding',
    ],
    [files, 'cases.case_id', '[cases] >cases cases/case_id'],
    [files, 'cases.project.program.name', '[cases] >cases >projects projects/program.name'],
    [
      files,
      'cases.diagnoses.treatments.treatment_id',
      '[cases] >cases [diagnoses] [diagnoses.treatments] cases/diagnoses.treatments.treatment_id',
    ],
    [files, 'cases.samples.sample_type', '[cases] [cases.samples] files/cases.samples.sample_type'],
    [
      files,
      'cases.samples.portions.analytes.aliquots.aliquot_id',
      '[cases] [cases.samples] [cases.samples.portions] [cases.samples.portions.analytes] [cases.samples.portions.analytes.aliquots] files/cases.samples.portions.analytes.aliquots.aliquot_id',
    ],
    [cases, 'project.project_id', '>projects projects/project_id'],
    [cases, 'samples.is_ffpe', '[samples] cases/samples.is_ffpe'],
    [cases, 'files.access', '[<files] files/access'],
    [
      cases,
      'files.analysis.input_files.file_id',
      '[<files] [analysis.input_files] files/analysis.input_files.file_id',
    ],
    [annotations, 'project.code', '>projects projects/code'],
    [ssms, 'occurrence.occurrence_id', '[<ssm_occurrences] ssm_occurrences/ssm_occurrence_id'],
    [
      ssms,
      'occurrence.case.project.project_id',
      '[<ssm_occurrences] >cases >projects projects/project_id',
    ],
    [
      ssms,
      'occurrence.case.observation.read_depth.t_depth',
      '[<ssm_occurrences] [case.observation] ssm_occurrences/case.observation.read_depth.t_depth',
    ],
    [
      DATASETS.ssm_occurrences,
      'ssm.consequence.transcript.gene.symbol',
      '>ssms [consequence] ssms/consequence.transcript.gene.symbol',
    ],
    [
      DATASETS.ssm_occurrences,
      'case.samples.sample_type',
      '>cases (samples) cases/samples.sample_type',
    ],
    [
      DATASETS.ssm_occurrences,
      'case.available_variation_data',
      '>cases cases/available_variation_data',
    ],
    [DATASETS.cnv_occurrences, 'cnv.variant_status', 'cnv_occurrences/cnv.variant_status'],
    [DATASETS.cnv_occurrences, 'cnv.cnv_change', '>cnvs cnvs/cnv_change'],
    [
      DATASETS.segment_cnvs,
      'occurrence.case.observation.copy_number',
      '[<segment_cnv_occurrences] [case.observation] segment_cnv_occurrences/case.observation.copy_number',
    ],
  ])('of $name to %s', (dataset, path, way) => {
    expect(joinPathOf(resolveField(dataset, path))).toBe(way)
  })

  test('names its steps as the asking dataset sees them', () => {
    const field = resolveField(cases, 'files.analysis.input_files.file_id')
    expect(field?.steps).toEqual([
      {
        kind: 'reverse',
        dataset: 'cases',
        target: 'files',
        through: 'cases',
        nested: true,
        path: 'files',
      },
      {
        kind: 'level',
        dataset: 'files',
        level: 'analysis.input_files',
        nested: true,
        path: 'files.analysis.input_files',
      },
    ])
  })
})

describe('names', () => {
  test('of the real service are taken for those of this project', () => {
    expect(canonicalPath('project.dbgap_accession_number')).toBe(
      'project.registry_accession_number',
    )
    expect(resolveField(ssms, 'cosmic_id')).toEqual(resolveField(ssms, 'catalog_id'))
    expect(resolveField(ssms, 'ncbi_build')?.path).toBe('agency_build')
  })

  test('may begin with the own dataset in filters only', () => {
    const ofFiles = createResolver(files)
    const ofCases = createResolver(cases)
    expect(ofFiles.resolveFilter('files.access')).toEqual(resolveField(files, 'access'))
    expect(ofCases.resolveFilter('cases.project.project_id')?.path).toBe('project.project_id')
    expect(ofCases.resolveFilter('project.project_id')?.path).toBe('project.project_id')
    expect(ofFiles.resolve('files.access')).toBeUndefined()
    expect(ofFiles.resolveFilter('files.files.access')).toBeUndefined()
  })

  test.each([
    '',
    '.',
    'nope',
    'cases',
    'cases.samples',
    'access.',
    'access.nope',
    'file_id.length',
  ])('that are no field lead nowhere: %j', (name) => {
    expect(resolveField(files, name)).toBeUndefined()
  })

  test.each(['constructor', '__proto__', 'cases.__proto__.case_id', 'toString.name'])(
    'that every object has lead nowhere: %s',
    (name) => {
      expect(resolveField(files, name)).toBeUndefined()
      expect(createResolver(files).resolveFilter(`files.${name}`)).toBeUndefined()
    },
  )

  test('of what the dataset does not show of a mounted record lead nowhere', () => {
    expect(resolveField(cases, 'summary.file_count')).toBeDefined()
    expect(resolveField(cases, 'project.summary.file_count')).toBeUndefined()
    expect(resolveField(cases, 'files.version')).toBeUndefined()
    expect(resolveField(files, 'cases.available_variation_data')).toBeUndefined()
  })
})

test('a resolver answers as the function does, the same object each time', () => {
  const resolver = createResolver(files)
  for (const name of ['access', 'files.access', 'cases.project.project_id', 'nope']) {
    expect(resolver.resolve(name)).toEqual(resolveField(files, name))
  }
  expect(resolver.resolve('access')).toBe(resolver.resolve('access'))
})

describe('laws', () => {
  test('every field leads to a stored field of the same type and level', () => {
    const stored = new Map<string, Physical['fields'][number]>(
      all.flatMap((dataset) =>
        physicalOf(dataset).fields.map(
          (field) => [`${dataset.name}/${field.path}`, field] as const,
        ),
      ),
    )
    for (const { dataset, path, type } of everyField) {
      const field = resolveField(dataset, path)
      const column = stored.get(`${field?.column.dataset}/${field?.column.path}`)
      const own = field?.steps.slice(lastLeave(field.steps) + 1)
      const level = own?.findLast((step) => step.kind === 'level')?.level ?? ''
      expect([dataset.name, path, column?.type, column?.level]).toEqual([
        dataset.name,
        path,
        type,
        level,
      ])
    }
  })

  test('every stored field can be named by its own dataset', () => {
    for (const dataset of all) {
      for (const { path } of physicalOf(dataset).fields) {
        const column = resolveField(dataset, path)?.column
        expect(column).toEqual({ dataset: dataset.name, path })
      }
    }
  })

  test('levels come after their parents, no field twice', () => {
    for (const dataset of all) {
      const { levels, fields } = physicalOf(dataset)
      const seen = new Set([''])
      for (const { path, parent } of levels) {
        expect(seen).toContain(parent)
        seen.add(path)
      }
      for (const { level } of fields) expect(seen).toContain(level)
      expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length)
    }
  })

  test('a way crosses every nested path above the field and binds exactly those', () => {
    for (const { dataset, path } of everyField) {
      const steps = resolveField(dataset, path)?.steps ?? []
      const bound = steps.flatMap((step) =>
        step.kind !== 'link' && step.nested ? [step.path] : [],
      )
      expect(bound).toEqual(dataset.nested.filter((level) => path.startsWith(`${level}.`)))
    }
  })

  test('mounts are named by the id of the other dataset and led back by its link', () => {
    for (const { mounts } of all) {
      for (const mount of mounts) {
        const target = DATASETS[mount.dataset]
        if (mount.kind === 'link') expect(mount.by).toBe(target.idField)
        else expect(target.mounts.map(({ at }) => at)).toContain(mount.through)
      }
    }
  })

  test('datasets cannot be changed', () => {
    for (const dataset of all) {
      expect(Object.isFrozen(dataset.fields) && Object.isFrozen(dataset.mounts)).toBe(true)
    }
  })
})

/** Returns the index of the last step that leaves a dataset's own documents, or -1. */
function lastLeave(steps: readonly Step[]): number {
  return steps.findLastIndex((step) => step.kind !== 'level')
}
