import { defineDataset, fields, relatedToCases } from './compose.ts'
import { annotation } from './groups/annotation.ts'
import { hiddenProject, project } from './groups/project.ts'

export const annotations = defineDataset({
  name: 'annotations',
  docType: 'annotations',
  idField: 'annotation_id',
  noun: 'annotation',
  fields: { ...annotation, project: { ...project, ...fields({ exact: 'code' }) } },
  hidden: { project: hiddenProject },
  nested: [],
  mounts: [{ kind: 'link', at: 'project', dataset: 'projects', by: 'project_id', own: [] }],
  joins: [{ kind: 'link', at: 'cases', dataset: 'cases', by: 'case_id', idAt: 'case_id', own: [] }],
  related: relatedToCases('cases'),
  autocomplete: ['annotation_id'],
  caseAt: 'cases',
  casePath: { kind: 'link', at: 'cases' },
  quickSearch: { label: 'Annotation', fields: ['annotation_id', 'entity_id', 'entity_type'] },
  recognisedBy: ['entity_id'],
})
