import { expect, test } from 'vitest'
import { type Bare, type Root, resolveCaseCentric, resolverOf } from './case-gene.ts'
import type { FieldPath, Step } from './field-path.ts'

/** Formats a path as text: `[level]` is a nested level, `>` a link, `[<]` a reverse link. */
function joinPathOf(field: FieldPath | undefined): string | undefined {
  const step = (each: Step) => {
    if (each.kind === 'link') return `>${each.target}`
    return each.kind === 'level' ? `[${each.dataset} ${each.level}]` : `[<${each.target}]`
  }
  return field && [...field.steps.map(step), field.column.dataset, field.column.path].join(' ')
}

const EFFECT = '[case_genes ssm] >gene_effects [gene_effects consequence] ssms'

test.each<[Root, Bare, string, string]>([
  ['pair', 'case', 'project.project_id', '>cases >projects projects project_id'],
  ['pair', 'gene', 'symbol', '>genes genes symbol'],
  ['pair', 'gene', 'gene.symbol', '>genes genes symbol'],
  ['pair', 'gene', 'genes.symbol', '>genes genes symbol'],
  ['pair', 'gene', 'genes.case.case_id', '>cases cases case_id'],
  [
    'pair',
    'gene',
    'cases.diagnoses.morphology',
    '>cases [cases diagnoses] cases diagnoses.morphology',
  ],
  ['pair', 'case', 'gene.ssm.ssm_id', '[case_genes ssm] >ssm_occurrences >ssms ssms ssm_id'],
  ['pair', 'case', 'ssms.chromosome', '[case_genes ssm] >ssm_occurrences >ssms ssms chromosome'],
  ['pair', 'gene', 'ssm.cosmic_id', '[case_genes ssm] >ssm_occurrences >ssms ssms catalog_id'],
  [
    ...(['pair', 'gene', 'case.ssm.consequence.transcript.annotation.vep_impact'] as const),
    `${EFFECT} consequence.transcript.annotation.vep_impact`,
  ],
  [
    ...(['pair', 'gene', 'ssm.observation.read_depth.t_depth'] as const),
    '[case_genes ssm] >ssm_occurrences [ssm_occurrences case.observation] ssm_occurrences case.observation.read_depth.t_depth',
  ],
  ['pair', 'case', 'cnvs.cnv_change', '[case_genes cnv] >cnv_occurrences >cnvs cnvs cnv_change'],
  [
    ...(['pair', 'case', 'gene.cnv.variant_status'] as const),
    '[case_genes cnv] >cnv_occurrences cnv_occurrences cnv.variant_status',
  ],
  ['case', 'case', 'project.project_id', '>projects projects project_id'],
  ['case', 'case', 'case.project.project_id', '>projects projects project_id'],
  ['case', 'case', 'cases.available_variation_data', 'cases available_variation_data'],
  ['case', 'case', 'genes.symbol', '[<case_genes] >genes genes symbol'],
  ['case', 'case', 'cases.gene.symbol', '[<case_genes] >genes genes symbol'],
  [
    ...(['case', 'case', 'ssms.consequence.transcript.consequence_type'] as const),
    `[<case_genes] ${EFFECT} consequence.transcript.consequence_type`,
  ],
  ['gene', 'gene', 'gene_id', 'genes gene_id'],
  ['gene', 'gene', 'case.project.project_id', '[<case_genes] >cases >projects projects project_id'],
  ['gene', 'case', 'project.project_id', '[<case_genes] >cases >projects projects project_id'],
])('of a %s, where bare names are of a %s, %s is found', (root, bare, name, way) => {
  expect(joinPathOf(resolverOf(root, bare)(name))).toBe(way)
})

test.each([
  ...['nothing', 'gene', 'ssm', 'gene.nothing', 'ssm.nothing', 'gene.ssm', 'cnv.nothing', ''],
  ...['ssm.gene.symbol', 'ssm.case.case_id', 'ssm.occurrence.case.case_id', 'gene.', 'toString.x'],
])('"%s" is no field', (name) => {
  expect(resolveCaseCentric(name)).toBeUndefined()
})

test('fields of one element have one path, however they are called', () => {
  const paths = (root: Root, bare: Bare, ...names: string[]) =>
    new Set(names.map((name) => resolverOf(root, bare)(name)?.path))
  expect(
    paths('pair', 'case', 'project.name', 'case.project.name', 'cases.project.name').size,
  ).toBe(1)
  expect(
    paths('case', 'case', 'ssm.cosmic_id', 'genes.ssms.catalog_id', 'gene.ssm.cosmic_id'),
  ).toEqual(new Set(['gene.ssm.catalog_id']))
})
