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
})
