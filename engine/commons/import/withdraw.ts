import { isObject, type Json, type JsonObject, objectsIn } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'

/** Records of the current release, and members of records, to leave out of the next release. */
export interface Withdrawn {
  /** Ids in lower case of cases and files, and of entities in them. */
  readonly ids: ReadonlySet<string>
  /** Members that an entity no longer has, keyed by its id in lower case. */
  readonly members: ReadonlyMap<string, WithdrawnMembers>
}

export interface WithdrawnMembers {
  /** Name of the entity's id member, such as `sample_id`. */
  readonly idName: string
  readonly names: readonly string[]
}

/** Link of each dataset. A record that had this link is removed when no link is left. */
const LINKS: Readonly<Partial<Record<DatasetName, string>>> = {
  cnv_occurrences: 'case',
  files: 'cases',
  segment_cnv_occurrences: 'case',
  ssm_occurrences: 'case',
}

/**
 * Removes withdrawn entities and members from a record of a release, in place.
 * @returns false if the record itself must be removed
 */
export function withdraw(
  dataset: DatasetName,
  document: JsonObject,
  withdrawn: Withdrawn,
): boolean {
  if (withdrawn.ids.size === 0 && withdrawn.members.size === 0) return true
  const link = LINKS[dataset]
  const before = link === undefined ? 0 : objectsIn(document[link]).length
  const gone: JsonObject[] = []
  if (!remains(document, withdrawn, gone)) return false
  if (link !== undefined && before > 0 && objectsIn(document[link]).length === 0) return false
  if (gone.length > 0) unlist(document, gone)
  return true
}

/**
 * Removes withdrawn entities and members from an object. Returns whether the object itself remains. Removed
 * objects are added to `gone`.
 */
function remains(object: JsonObject, withdrawn: Withdrawn, gone: JsonObject[]): boolean {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') {
      if (!name.endsWith('_id')) continue
      const id = value.toLowerCase()
      if (withdrawn.ids.has(id)) {
        gone.push(object)
        return false
      }
      const members = withdrawn.members.get(id)
      // An object with an `entity_id` only refers to the entity, as annotations do.
      if (members?.idName !== name || Object.hasOwn(object, 'entity_id')) continue
      for (const member of members.names) delete object[member]
    } else if (Array.isArray(value)) {
      const left = value.filter((one) => !isObject(one) || remains(one, withdrawn, gone))
      if (left.length < value.length) setOrDelete(object, name, left)
    } else if (isObject(value) && !remains(value, withdrawn, gone)) delete object[name]
  }
  return true
}

function setOrDelete(object: JsonObject, name: string, left: readonly Json[]): void {
  if (left.length > 0) object[name] = [...left]
  else delete object[name]
}

/** Removes the ids of removed entities from the id lists of a record. */
function unlist(document: JsonObject, gone: readonly JsonObject[]): void {
  const texts = new Set<Json>(gone.flatMap(idsOf))
  for (const [name, value] of Object.entries(document)) {
    if (!name.endsWith('_ids') || !Array.isArray(value)) continue
    setOrDelete(
      document,
      name,
      value.filter((one) => !texts.has(one)),
    )
  }
}

function idsOf(object: JsonObject): readonly Json[] {
  const texts = Object.entries(object).filter(([name]) => name.endsWith('_id'))
  return texts.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
}
