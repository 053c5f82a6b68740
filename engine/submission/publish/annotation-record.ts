import type { JsonObject } from '../../shared/input/json-value.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { type CaseTree, caseOf } from './case-tree.ts'
import { entityDocument } from './entity-document.ts'

export const ANNOTATION = 'annotation'

/**
 * Builds the record of an annotation, including the annotated entity, which is the target of its first link.
 * Returns undefined if that entity is not in the tree.
 */
export function annotationRecord(annotation: StoredEntity, tree: CaseTree): JsonObject | undefined {
  const about = (tree.parents.get(annotation.id) ?? [])
    .map(({ parent }) => tree.entities.get(parent))
    .find((one) => one !== undefined)
  if (!about) return undefined
  const caseOfIt = caseOf(about, tree)
  return {
    ...entityDocument(annotation),
    entity_id: about.id,
    entity_type: about.type,
    entity_submitter_id: about.submitterId,
    ...(caseOfIt && { case_id: caseOfIt.id, case_submitter_id: caseOfIt.submitterId }),
    project: { project_id: annotation.projectId },
  }
}

/** Returns the annotations linked directly to an entity. */
export function annotationsOf({ id }: StoredEntity, tree: CaseTree): JsonObject[] {
  return (tree.children.get(id) ?? []).flatMap((one) => {
    const record = one.type === ANNOTATION ? annotationRecord(one, tree) : undefined
    if (!record) return []
    const { project: _, ...annotation } = record
    return [annotation]
  })
}
