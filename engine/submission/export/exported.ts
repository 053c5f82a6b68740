import type { TemplateColumn, TemplateFormat } from '../dictionary/templates.ts'
import type { EntityDocument } from '../transactions/submitted.ts'

export type ExportFormat = TemplateFormat

/** An entity as it is exported. */
export interface ExportedEntity {
  readonly id: string
  readonly type: string
  readonly projectId: string
  readonly submitterId: string | null
  readonly properties: EntityDocument
  /** By the name of the link. */
  readonly parents: ReadonlyMap<string, readonly ExportedParent[]>
}

/** What an entity is linked to. */
export interface ExportedParent {
  readonly id: string
  /** What it is named by beside its id: a submitter_id, or the code or name of what has none. */
  readonly name: string | null
}

/** How entities of one type are exported. */
export interface ExportLayout {
  readonly type: string
  /** As in the type's template. */
  readonly columns: readonly TemplateColumn[]
  readonly hasIds: boolean
}

/** What an entity has in a column that is no link; undefined for what is not set. */
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
