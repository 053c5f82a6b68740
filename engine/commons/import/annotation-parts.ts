import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { type EmitPart, ENTITY_LEVELS, type Part, RANKS } from './split-record.ts'

/** Way from a case down to the list of each kind of entity that may be annotated. */
const PARENT_LISTS: Readonly<Record<string, readonly string[]>> = {
  ...ENTITY_LEVELS,
  diagnosis: ['diagnoses'],
}

/** Lists in which annotations of a case's entities are found. */
const LISTS = ['samples', 'portions', 'analytes', 'aliquots', 'slides', 'diagnoses']

/**
 * Passes parts on, and beside them what annotations say in two places: an annotation inside a case
 * or a file is an annotation record too, and an annotation record stands in the case that it is of,
 * at its entity.
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
        // A bare id says nothing that a record could be made of.
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
        // In a case it stands in its place already.
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
