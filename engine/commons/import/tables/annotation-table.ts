import { hasAll, readByName, type TableKind } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Annotations as release notes list them. */
export const annotationTable: TableKind = {
  name: 'table of annotations',
  matches: (columns) => hasAll(columns, ['Annotation UUID', 'Case UUID']),
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const entity = cell('Entity UUID')
      const project = cell('Project')
      const caseId = cell('Case UUID')
      table.intake.record(
        'annotations',
        defined({
          annotation_id: cell('Annotation UUID'),
          // Some name their entity instead of giving its id.
          ...(entity !== undefined && UUID.test(entity)
            ? { entity_id: entity.toLowerCase() }
            : { entity_submitter_id: entity }),
          entity_type: entity !== undefined && entity === caseId ? 'case' : undefined,
          case_id: caseId?.toLowerCase(),
          project: project === undefined ? undefined : { project_id: project },
          classification: cell('Classification'),
          category: cell('Category'),
          created_datetime: cell('Created On'),
          notes: cell('Notes'),
        }),
      )
    }),
}

const KNOWN = [
  'Annotation UUID',
  'Entity UUID',
  'Case UUID',
  'Project',
  'Classification',
  'Category',
  'Created On',
  'Notes',
]
