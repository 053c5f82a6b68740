import { readByName, type TableKind } from '../table-kind.ts'
import { isUuid, uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

/** Annotations as release notes list them. */
export const annotationTable: TableKind = {
  name: 'table of annotations',
  needs: ['Annotation UUID', 'Case UUID'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const entity = cell('Entity UUID')
      const project = cell('Project')
      const caseId = uuidIn(cell('Case UUID'), 'Case UUID')
      table.intake.record(
        'annotations',
        defined({
          annotation_id: uuidIn(cell('Annotation UUID'), 'Annotation UUID'),
          // Some name their entity instead of giving its id.
          ...(entity !== undefined && isUuid(entity)
            ? { entity_id: entity.toLowerCase() }
            : { entity_submitter_id: entity }),
          entity_type: entity !== undefined && entity.toLowerCase() === caseId ? 'case' : undefined,
          case_id: caseId,
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
