import { defineDataset, fields, pick, under } from './compose.ts'
import { listedAnnotation } from './groups/annotation.ts'
import { caseLevels, legacyCase, patientCase } from './groups/case.ts'
import { file, fileLevels, hiddenFile } from './groups/file.ts'

export const files = defineDataset({
  name: 'files',
  docType: 'files',
  idField: 'file_id',
  noun: 'file',
  fields: {
    ...file,
    ...fields({ keyword: 'data_release file_state version' }),
    annotations: listedAnnotation,
    associated_entities: pick(
      listedAnnotation,
      'case_id entity_id entity_submitter_id entity_type',
    ),
    cases: patientCase,
  },
  hidden: { ...hiddenFile, cases: legacyCase },
  nested: [
    ...fileLevels,
    'annotations',
    'associated_entities',
    'cases',
    ...under('cases', caseLevels),
  ],
  mounts: [{ kind: 'link', at: 'cases', dataset: 'cases', by: 'case_id', own: ['samples'] }],
  related: { genes: 'cases.gene', ssms: 'cases.gene.ssm', cnvs: 'cases.gene.cnv' },
  autocomplete: ['file_id', 'file_name', 'submitter_id'],
  caseAt: 'cases',
  quickSearch: { label: 'File', fields: ['file_id', 'file_name', 'submitter_id'] },
  recognisedBy: ['file_name', 'md5sum', 'data_format', 'file_size'],
})
