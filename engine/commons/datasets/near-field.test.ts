import { expect, test } from 'vitest'
import { NearNames } from '../../shared/input/near-name.ts'
import { DATASETS } from './index.ts'
import { nearField, nearGroup } from './near-field.ts'

const { cases, files, projects, ssms } = DATASETS

test.each([
  [files, 'acess', 'access'],
  [files, 'files.access', 'access'],
  [files, 'Access', 'access'],
  [files, 'cases.samples.sample_typ', 'cases.samples.sample_type'],
  [files, 'sample_type', 'cases.samples.sample_type'],
  [files, 'project.project_id', 'cases.project.project_id'],
  [files, 'primry_site', 'cases.primary_site'],
  [files, 'cases.smaples.sample_type', 'cases.samples.sample_type'],
  [files, 'case.primary_site', 'cases.primary_site'],
  [cases, 'demographic.gendr', 'demographic.gender'],
  [cases, 'demographic.qqqqqq', undefined],
  [cases, 'primry_site', 'primary_site'],
  [ssms, 'vep_impact', 'consequence.transcript.annotation.vep_impact'],
  [projects, 'qqqq', undefined],
  [projects, '', undefined],
  [projects, '__proto__', undefined],
] as const)('of %# the field %s is meant for %s', (dataset, name, near) => {
  expect(nearField(name, dataset, new NearNames())).toBe(near)
})

test.each([
  [files, 'sample', 'cases.samples'],
  [files, 'case', 'cases'],
  [cases, 'diagnosis', 'diagnoses'],
  [projects, 'sumary', 'summary'],
] as const)('of %# the group %s is meant for %s', (dataset, name, near) => {
  expect(nearGroup(name, dataset, new NearNames())).toBe(near)
})
