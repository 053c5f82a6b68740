import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'

/** Clinical entities that every source of ours may leave without an id, and what is in them. */
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
 * Gives the clinical entities of a case that have no id one that is the same at every import, of the
 * case's id and their place or submitter's name (data-commons.md 11.6).
 */
export function giveIds(record: JsonObject, caseId: string): void {
  visitEntities(record, caseId, (entity, id, made) => {
    if (textIn(entity[id]) === undefined) entity[id] = made
  })
}

/** Takes back what `giveIds` gave, so that an id from elsewhere can take its place. */
export function takeIds(record: JsonObject, caseId: string): void {
  visitEntities(record, caseId, (entity, id, made) => {
    if (entity[id] === made) delete entity[id]
  })
}

/** Visits parents after their children: a child's made id is made of its parent's place. */
function visitEntities(
  record: JsonObject,
  caseId: string,
  visit: (entity: JsonObject, id: string, made: string) => void,
): void {
  const walk = (parent: JsonObject, name: string, path: readonly string[]) => {
    const kind = ENTITIES[name]
    if (!kind) return
    objectsIn(parent[name]).forEach((entity, i) => {
      const place = [...path, name, textIn(entity.submitter_id) ?? String(i)]
      for (const inner of kind.inner ?? []) walk(entity, inner, place)
      visit(entity, kind.id, nameUuid(caseId, ...place))
    })
  }
  for (const name of TOP) walk(record, name, [])
}

/**
 * Gives the nameless entities of one table row an id made of what the row says: rows of one case
 * that differ are different entities, equal ones are the same.
 */
export function giveRowIds(record: JsonObject, caseId: string): void {
  const walk = (parent: JsonObject, name: string) => {
    const kind = ENTITIES[name]
    const list = parent[name]
    // A single object, as the demographic, is one of its kind.
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
