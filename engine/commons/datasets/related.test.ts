import { expect, test } from 'vitest'
import type { DatasetName } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { DATASETS } from './index.ts'
import { resolveField } from './resolve.ts'
import { createResolver } from './resolver.ts'
import { defaultsOf, selectFields, sortKeys } from './select.ts'

/** Formats a path as text: `[level]` is a nested level, `>` a link, `[<]` a reverse link. */
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

const resolve = (name: DatasetName, field: string) => createResolver(DATASETS[name]).resolve(field)

const TO_SSM = '[<case_genes] [ssm] >ssm_occurrences >ssms'

// data-commons.md 1.2.6: from a record to its cases, then to what cases are related to.
test.each<[DatasetName, string, string]>([
  ['cases', 'genes.symbol', '[<case_genes] >genes genes/symbol'],
  ['cases', 'ssms.ssm_id', `${TO_SSM} ssms/ssm_id`],
  ['cases', 'cnv.cnv_change', '[<case_genes] [cnv] >cnv_occurrences >cnvs cnvs/cnv_change'],
  ['files', 'gene.gene_id', '[cases] >cases [<case_genes] >genes genes/gene_id'],
  ['files', 'ssms.chromosome', `[cases] >cases ${TO_SSM} ssms/chromosome`],
  [
    ...(['files', 'ssms.consequence.transcript.consequence_type'] as const),
    '[cases] >cases [<case_genes] [ssm] >gene_effects [consequence] ssms/consequence.transcript.consequence_type',
  ],
  ['projects', 'cases.diagnoses.morphology', '[<cases] [diagnoses] cases/diagnoses.morphology'],
  ['projects', 'files.access', '[<cases] [<files] files/access'],
  [
    'projects',
    'genes.is_cancer_gene_census',
    '[<cases] [<case_genes] >genes genes/is_cancer_gene_census',
  ],
  ['annotations', 'cases.demographic.gender', '>cases cases/demographic.gender'],
  ['annotations', 'case.files.data_type', '>cases [<files] files/data_type'],
  ['annotations', 'files.data_type', '>cases [<files] files/data_type'],
  ['annotations', 'genes.symbol', '>cases [<case_genes] >genes genes/symbol'],
  ['genes', 'case.project.project_id', '[<case_genes] >cases >projects projects/project_id'],
  [
    'genes',
    'cases.diagnoses.morphology',
    '[<case_genes] >cases [diagnoses] cases/diagnoses.morphology',
  ],
  ['genes', 'files.access', '[<case_genes] >cases [<files] files/access'],
  ['genes', 'ssms.ssm_id', `${TO_SSM} ssms/ssm_id`],
  ['ssms', 'cases.primary_site', '[<ssm_occurrences] >cases cases/primary_site'],
  ['ssms', 'genes.symbol', '[consequence] ssms/consequence.transcript.gene.symbol'],
  ['ssm_occurrences', 'cases.primary_site', '>cases cases/primary_site'],
  ['ssm_occurrences', 'ssms.chromosome', '>ssms ssms/chromosome'],
  [
    'ssm_occurrences',
    'genes.symbol',
    '>ssms [consequence] ssms/consequence.transcript.gene.symbol',
  ],
  ['cnvs', 'genes.symbol', '[consequence] cnvs/consequence.gene.symbol'],
  ['cnv_occurrences', 'cnvs.cnv_change', '>cnvs cnvs/cnv_change'],
  ['segment_cnvs', 'cases.primary_site', '[<segment_cnv_occurrences] >cases cases/primary_site'],
  // A field that records of variants do not have.
  ['ssm_occurrences', 'cases.files.data_type', '>cases [<files] files/data_type'],
])('of %s to %s', (name, field, way) => {
  expect(joinPathOf(resolve(name, field))).toBe(way)
})

test.each<[DatasetName, string]>([
  ...(['genes', 'genes.', 'genes.nothing', 'ssms.nothing', '.symbol', 'toString.x'] as const).map(
    (name) => ['cases', name] as [DatasetName, string],
  ),
  ['cases', 'cases.primary_site'],
  ['files', 'files.access'],
  ['files', 'cases.available_variation_data'],
  ['files', 'cases.files.access'],
  ['genes', 'gene.symbol'],
  ['segment_cnvs', 'genes.symbol'],
  ['projects', 'projects.name'],
  ['annotations', 'cases.cases.case_id'],
])('%s have no related field %j', (name, field) => {
  expect(resolve(name, field)).toBeUndefined()
})

test('a field has one path, however it is called', () => {
  const paths = (name: DatasetName, ...fields: readonly string[]) => [
    ...new Set(fields.map((field) => resolve(name, field)?.path)),
  ]
  expect(paths('files', 'ssm.cosmic_id', 'ssms.catalog_id')).toEqual(['cases.gene.ssm.catalog_id'])
  expect(paths('projects', 'cases.files.access', 'files.access')).toEqual(['cases.files.access'])
  expect(paths('ssms', 'cases.primary_site', 'occurrence.case.primary_site')).toHaveLength(1)
})

test('conditions on a case and on what it leads to share its element', () => {
  const first = (name: string) => resolve('files', name)?.steps[0]
  expect(first('genes.symbol')).toEqual(first('cases.primary_site'))
})

test('the own name may stand in front in filters', () => {
  const { resolve, resolveFilter } = createResolver(DATASETS.cases)
  expect(resolveFilter('cases.genes.symbol')).toEqual(resolve('genes.symbol'))
  expect(resolve('cases.genes.symbol')).toBeUndefined()
})

test('a filter on cases speaks of the case of each dataset by the names of cases', () => {
  const path = (name: DatasetName, field: string) =>
    createResolver(DATASETS[name]).resolveCase(field)?.path
  expect(path('cases', 'cases.project.project_id')).toBe('project.project_id')
  expect(path('files', 'case.primary_site')).toBe('cases.primary_site')
  expect(path('ssms', 'primary_site')).toBe('occurrence.case.primary_site')
  expect(path('genes', 'cases.primary_site')).toBe('case.primary_site')
  expect(path('projects', 'primary_site')).toBe('cases.primary_site')
  expect(path('ssm_occurrences', 'genes.symbol')).toBe('case.gene.symbol')
  expect(path('annotations', 'files.access')).toBe('cases.files.access')
  expect(path('files', 'nothing')).toBeUndefined()
  expect(path('files', 'access')).toBeUndefined()
})

test('related fields are neither shown nor sorted by, nor advertised', () => {
  const { cases } = DATASETS
  const { selection, warnings } = selectFields(cases, { fields: ['genes.symbol'] }, 'list')
  expect(selection.leaves).toEqual([])
  expect(warnings).toEqual({ fields: 'unrecognized values: [genes.symbol]' })
  expect(() => sortKeys(cases, ['genes.symbol'])).toThrow('to sort by')
  expect(defaultsOf(cases)).not.toContain('gene')
  expect(resolveField(cases, 'gene.symbol')).toBeUndefined()
})
