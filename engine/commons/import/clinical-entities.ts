import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { CLINICAL_IDS } from './clinical-ids.ts'
import { compareTexts } from './compare-texts.ts'
import { mergeInto } from './merge.ts'

/**
 * Sorts the clinical lists of a case, so that they do not depend on the order of sources. An entity without an
 * id is merged into the one to which it refers, if only one is possible.
 */
export function settleClinical(parent: JsonObject): void {
  for (const [name, idField] of Object.entries(CLINICAL_IDS)) {
    if (!Array.isArray(parent[name])) continue
    const list = placeNameless(objectsIn(parent[name]), name, idField)
    for (const entity of list) settleClinical(entity)
    const key = (entity: JsonObject) =>
      [textIn(entity[idField]), textIn(entity.submitter_id)] as const
    parent[name] = list.toSorted((one, other) => {
      const [[id, submitterId], [otherId, otherSubmitterId]] = [key(one), key(other)]
      return compareTexts(id, otherId) || compareTexts(submitterId, otherSubmitterId)
    })
  }
}

/**
 * Merges the element without an id, if it is clear to which one it refers. Older tables describe only the
 * primary diagnosis, without an id.
 */
function placeNameless(
  entities: readonly JsonObject[],
  list: string,
  idField: string,
): readonly JsonObject[] {
  const isNamed = (entity: JsonObject) =>
    textIn(entity[idField]) !== undefined || textIn(entity.submitter_id) !== undefined
  const [nameless, ...others] = entities.filter((entity) => !isNamed(entity))
  const named = entities.filter(isNamed)
  const target = list === 'diagnoses' || others.length === 0 ? meantOf(named) : undefined
  if (!nameless || !target) return entities
  mergeInto(nameless, target, { isStronger: true, conflicts: new Map() })
  return [...named.map((entity) => (entity === target ? nameless : entity)), ...others]
}

/** Returns the only primary element. If there is just one element, returns it unless it is marked as not primary. */
function meantOf(named: readonly JsonObject[]): JsonObject | undefined {
  const isPrimary = ({ diagnosis_is_primary_disease: value }: JsonObject) => String(value ?? '')
  const [primary, ...others] = named.filter((entity) => isPrimary(entity) === 'true')
  if (primary) return others.length === 0 ? primary : undefined
  const [only] = named
  return only && named.length === 1 && isPrimary(only) !== 'false' ? only : undefined
}
