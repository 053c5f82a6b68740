import { defineDataset, fields } from './compose.ts'
import { annotation } from './groups/annotation.ts'
import { legacyProject, project } from './groups/project.ts'

export const annotations = defineDataset({
  name: 'annotations',
  docType: 'annotations',
  idField: 'annotation_id',
  noun: 'annotation',
  fields: { ...annotation, project: { ...project, ...fields({ exact: 'code' }) } },
  hidden: { project: legacyProject },
  filterOnly: [],
  nested: [],
  mounts: [{ kind: 'link', at: 'project', dataset: 'projects', by: 'project_id', own: [] }],
  autocomplete: ['annotation_id'],
  casePath: { kind: 'value', field: 'case_id' },
  quickSearch: { label: 'Annotation', fields: ['annotation_id', 'entity_id', 'entity_type'] },
  recognition: { order: 8, members: ['entity_id'] },
})
