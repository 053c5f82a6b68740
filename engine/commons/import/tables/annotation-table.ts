import { date, id, text } from '../columns.ts'
import { defined } from '../defined.ts'
import { declareTable } from '../table-kind.ts'
import { isUuid } from '../uuid-cell.ts'

/** A table of annotations, as in release notes. */
export const annotationTable = declareTable({
  name: 'table of annotations',
  columns: {
    annotation: id('Annotation UUID'),
    entity: text('Entity UUID'),
    caseId: id('Case UUID'),
    project: text('Project'),
    classification: text('Classification'),
    category: text('Category'),
    created: date('Created On'),
    notes: text('Notes'),
  },
  needs: ['annotation', 'caseId'],
  open:
    ({ intake }) =>
    ({ annotation, entity, caseId, project, classification, category, created, notes }) => {
      intake.record(
        'annotations',
        defined({
          annotation_id: annotation,
          // Some rows have the entity's name instead of its id.
          ...(entity !== undefined && isUuid(entity)
            ? { entity_id: entity.toLowerCase() }
            : { entity_submitter_id: entity }),
          entity_type: entity !== undefined && entity.toLowerCase() === caseId ? 'case' : undefined,
          case_id: caseId,
          project: project === undefined ? undefined : { project_id: project },
          classification,
          category,
          created_datetime: created,
          notes,
        }),
      )
    },
})
