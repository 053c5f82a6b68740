import { defineDataset, merge, under } from './compose.ts'
import { caseLevels, legacyCase, patientCase } from './groups/case.ts'
import { file, fileLevels, hiddenFile } from './groups/file.ts'
import { variantOnlyCase } from './groups/variant-case.ts'

export const cases = defineDataset({
  name: 'cases',
  docType: 'cases',
  idField: 'case_id',
  noun: 'case',
  fields: { ...patientCase, files: file },
  hidden: {
    ...merge(legacyCase, variantOnlyCase),
    files: hiddenFile,
  },
  nested: [...caseLevels, 'files', ...under('files', fileLevels)],
  mounts: [
    { kind: 'link', at: 'project', dataset: 'projects', by: 'project_id', own: [] },
    { kind: 'reverse', at: 'files', dataset: 'files', through: 'cases', names: {} },
  ],
  related: { genes: 'gene', ssms: 'gene.ssm', cnvs: 'gene.cnv' },
  autocomplete: ['case_id', 'submitter_id'],
  caseAt: '',
  casePath: { kind: 'self' },
  quickSearch: {
    label: 'Case',
    fields: ['case_id', 'submitter_id', 'disease_type', 'primary_site'],
  },
  recognisedBy: ['demographic', 'diagnoses', 'follow_ups', 'exposures', 'samples', 'sample_ids'],
})
