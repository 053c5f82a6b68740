import { defineDataset, fields, relatedToCases } from './compose.ts'
import { hiddenProject, project } from './groups/project.ts'

export const projects = defineDataset({
  name: 'projects',
  docType: 'projects',
  idField: 'project_id',
  noun: 'project',
  fields: {
    ...project,
    summary: fields(
      { long: 'case_count file_count file_size' },
      {
        data_categories: fields({ keyword: 'data_category', long: 'case_count file_count' }),
        experimental_strategies: fields({
          exact: 'experimental_strategy',
          long: 'case_count file_count',
        }),
      },
    ),
  },
  // Annotations show the `code` of their project.
  hidden: { ...hiddenProject, ...fields({ exact: 'code' }) },
  nested: ['summary.data_categories', 'summary.experimental_strategies'],
  mounts: [],
  joins: [{ kind: 'reverse', at: 'cases', dataset: 'cases', through: 'project', names: {} }],
  related: relatedToCases('cases'),
  autocomplete: ['project_id', 'name'],
  caseAt: 'cases',
  casePath: { kind: 'linked', at: 'project' },
  quickSearch: {
    label: 'Project',
    fields: ['project_id', 'name', 'disease_type', 'primary_site'],
    repeats: { project_quicksearch: 'name' },
  },
  recognisedBy: ['releasable', 'dbgap_accession_number'],
})
