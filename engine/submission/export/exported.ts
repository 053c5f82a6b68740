import type { TemplateColumn, TemplateFormat } from '../dictionary/templates.ts'
import type { EntityDocument } from '../transactions/submitted.ts'

export type ExportFormat = TemplateFormat

export interface ExportedEntity {
  readonly id: string
  readonly type: string
  readonly projectId: string
  readonly submitterId: string | null
  readonly properties: EntityDocument
  /** Parents by name of the link. */
  readonly parents: ReadonlyMap<string, readonly ExportedParent[]>
}

export interface ExportedParent {
  readonly id: string
  /** Key of the parent besides its id: a submitter_id, or the code or name of a project or reference. */
  readonly name: string | null
}

export interface ExportLayout {
  readonly type: string
  /** Columns, as in the type's template. */
  readonly columns: readonly TemplateColumn[]
  readonly hasIds: boolean
}

/** Returns the value of a column that is not a link, or undefined if the entity has no value. */
export function valueIn(entity: ExportedEntity, column: string): unknown {
  switch (column) {
    case 'type':
      return entity.type
    case 'project_id':
      return entity.projectId
    case 'submitter_id':
      return entity.submitterId ?? undefined
    default:
      return Object.hasOwn(entity.properties, column) ? entity.properties[column] : undefined
  }
}
