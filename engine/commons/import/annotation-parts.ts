import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { type EmitPart, ENTITY_LEVELS, type Part, RANKS } from './split-record.ts'

/** Path from a case to the list of each type of entity that can be annotated. */
const PARENT_LISTS: Readonly<Record<string, readonly string[]>> = {
  ...ENTITY_LEVELS,
  diagnosis: ['diagnoses'],
}

/** Lists that contain the annotations of a case's entities. */
const LISTS = ['samples', 'portions', 'analytes', 'aliquots', 'slides', 'diagnoses']

/**
 * Wraps a consumer of parts so that annotations reach both of their places. An annotation inside a case or file
 * is also emitted as a record of its own. An annotation that is a record of its own is also added to its entity
 * in the case.
 */
export function withAnnotations(emit: EmitPart): EmitPart {
  const pass: EmitPart = (part) => {
    emit(part)
    if (part.dataset === 'annotations') {
      const placed = placedInCase(part)
      if (placed) emit(placed)
    }
    if (part.dataset === 'files' || part.dataset === 'cases') {
      const found: JsonObject[] = []
      noteAnnotations(part.document, found)
      for (const annotation of found) {
        const id = textIn(annotation.annotation_id)?.toLowerCase()
        // An id alone does not make a record.
        if (id === undefined || Object.keys(annotation).length < 2) continue
        const rank = part.rank === RANKS.release ? RANKS.release : RANKS.hearsay
        const document = { ...annotation, annotation_id: id }
        const record: Part = {
          dataset: 'annotations',
          id,
          isMade: false,
          rank,
          isDescribed: true,
          document,
        }
        // An annotation inside a case is already in its place.
        if (part.dataset === 'files') pass(record)
        else emit(record)
      }
    }
  }
  return pass
}

function noteAnnotations(document: JsonObject, found: JsonObject[]): void {
  if (document.annotations !== undefined) found.push(...objectsIn(document.annotations))
  for (const list of LISTS) {
    const entities = document[list]
    if (!Array.isArray(entities)) continue
    for (const entity of entities) if (isObject(entity)) noteAnnotations(entity, found)
  }
}

function placedInCase({ document }: Part): Part | undefined {
  const caseId = textIn(document.case_id)?.toLowerCase()
  const entityId = textIn(document.entity_id)
  const entityType = textIn(document.entity_type)
  if (caseId === undefined) return undefined
  const name = textIn(document.case_submitter_id)
  const lists = Object.hasOwn(PARENT_LISTS, entityType ?? '')
    ? PARENT_LISTS[entityType ?? '']
    : undefined
  const { project, ...annotation } = document
  const chain =
    lists === undefined || entityId === undefined
      ? {}
      : lists.reduceRight<JsonObject>((below, list) => ({ [list]: [below] }), {
          ...(lists.length > 0 ? { [`${entityType}_id`]: entityId } : {}),
          annotations: [annotation],
        })
  return {
    dataset: 'cases',
    id: caseId,
    isMade: false,
    ...(name === undefined ? {} : { key: { name, size: undefined } }),
    rank: RANKS.hearsay,
    isDescribed: false,
    document: {
      case_id: caseId,
      ...(name === undefined ? {} : { submitter_id: name }),
      ...(isObject(project) ? { project } : {}),
      ...chain,
    },
  }
}
