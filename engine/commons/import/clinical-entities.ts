import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { CLINICAL_IDS } from './clinical-ids.ts'
import { compareTexts } from './compare-texts.ts'
import { mergeInto } from './merge.ts'

/**
 * Brings the clinical lists of a case into an order that does not depend on that of the sources, and
 * puts what a source says of an entity without naming it where it can only be meant.
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

/** Tables of earlier years describe one diagnosis, which has no id there: the primary one. */
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

/** The primary one of several, or the only one unless it is said not to be primary. */
function meantOf(named: readonly JsonObject[]): JsonObject | undefined {
  const isPrimary = ({ diagnosis_is_primary_disease: value }: JsonObject) => String(value ?? '')
  const [primary, ...others] = named.filter((entity) => isPrimary(entity) === 'true')
  if (primary) return others.length === 0 ? primary : undefined
  const [only] = named
  return only && named.length === 1 && isPrimary(only) !== 'false' ? only : undefined
}
