import { isObject, type Json, type JsonObject, objectsIn } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'

/** What the next release has no more of what the current one says. */
export interface Withdrawn {
  /** Of cases, files and all that is shown within them; in lower case. */
  readonly ids: ReadonlySet<string>
  /** By id: members that a thing had and has no more. */
  readonly members: ReadonlyMap<string, WithdrawnMembers>
}

export interface WithdrawnMembers {
  /** Member of the thing's document that has its id: `sample_id`. */
  readonly idName: string
  readonly names: readonly string[]
}

/** Which link makes a record what it is: without it, nothing is left of the record. */
const LINKS: Readonly<Partial<Record<DatasetName, string>>> = {
  cnv_occurrences: 'case',
  files: 'cases',
  segment_cnv_occurrences: 'case',
  ssm_occurrences: 'case',
}

/**
 * Takes what is withdrawn out of a record of a release, in place.
 * @returns whether anything is left of it
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

/** Whether an object stays; what is in it and does not stay is taken out. */
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
      // What is about something else names that, too.
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

/** Takes ids and names of what is gone out of the lists of a record. */
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
