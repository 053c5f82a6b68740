import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'

/** Clinical entities that may lack an id in a source: name of the id member, and names of nested entities. */
const ENTITIES: Readonly<
  Record<string, { readonly id: string; readonly inner?: readonly string[] }>
> = {
  demographic: { id: 'demographic_id' },
  diagnoses: { id: 'diagnosis_id', inner: ['treatments', 'pathology_details'] },
  treatments: { id: 'treatment_id' },
  pathology_details: { id: 'pathology_detail_id' },
  exposures: { id: 'exposure_id' },
  family_histories: { id: 'family_history_id' },
  follow_ups: { id: 'follow_up_id', inner: ['molecular_tests', 'other_clinical_attributes'] },
  molecular_tests: { id: 'molecular_test_id' },
  other_clinical_attributes: { id: 'other_clinical_attribute_id' },
}

const TOP = ['demographic', 'diagnoses', 'exposures', 'family_histories', 'follow_ups']

/**
 * Gives each clinical entity of a case that has no id a reproducible one. It is generated from the case id, and
 * from the entity's position or submitter id (data-commons.md 11.6).
 */
export function giveIds(record: JsonObject, caseId: string): void {
  visitEntities(record, caseId, (entity, id, made) => {
    if (textIn(entity[id]) === undefined) entity[id] = made()
  })
}

/** Removes the ids that `giveIds` has generated, so that another source can supply the real ids. */
export function takeIds(record: JsonObject, caseId: string): void {
  visitEntities(record, caseId, (entity, id, made) => {
    if (entity[id] !== undefined && entity[id] === made()) delete entity[id]
  })
}

/** Visits children before their parents, because a child's generated id depends on its parent's position. */
function visitEntities(
  record: JsonObject,
  caseId: string,
  visit: (entity: JsonObject, id: string, made: () => string) => void,
): void {
  const walk = (parent: JsonObject, name: string, path: readonly string[]) => {
    const kind = ENTITIES[name]
    if (!kind) return
    objectsIn(parent[name]).forEach((entity, i) => {
      const place = [...path, name, textIn(entity.submitter_id) ?? String(i)]
      for (const inner of kind.inner ?? []) walk(entity, inner, place)
      visit(entity, kind.id, () => nameUuid(caseId, ...place))
    })
  }
  for (const name of TOP) walk(record, name, [])
}

/**
 * Gives each entity without a name in a table row an id generated from its content. In a case, rows with
 * different content are therefore different entities, and equal rows are the same entity.
 */
export function giveRowIds(record: JsonObject, caseId: string): void {
  const walk = (parent: JsonObject, name: string) => {
    const kind = ENTITIES[name]
    const list = parent[name]
    // A single object, such as the demographic, needs no id to distinguish it from others.
    if (!kind || !Array.isArray(list)) return
    for (const entity of list.filter(isObject)) {
      for (const inner of kind.inner ?? []) walk(entity, inner)
      if (textIn(entity[kind.id]) !== undefined || textIn(entity.submitter_id) !== undefined)
        continue
      const inner = new Set(kind.inner)
      const said = Object.entries(entity).filter(([member]) => !inner.has(member))
      entity[kind.id] = nameUuid(caseId, name, JSON.stringify(said))
    }
  }
  for (const name of TOP) walk(record, name)
}
