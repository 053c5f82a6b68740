import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { eachSpecimen } from './biospecimen/levels.ts'

/**
 * Adds the ids of all specimens and diagnoses of a case to its id lists (data-commons-service.md 2.2). Ids
 * already in a list are kept.
 */
export function listIds(record: JsonObject): void {
  for (const [list, ids] of idsBelow(record)) {
    record[list] = [...new Set([...textsIn(record[list]), ...ids])]
  }
}

/**
 * Removes lists that contain exactly the ids that `listIds` would add, so that the lists can be made again when
 * more ids are known.
 */
export function unlistIds(record: JsonObject): void {
  for (const [list, ids] of idsBelow(record)) {
    const listed = textsIn(record[list])
    const isMade = listed.length === ids.size && [...ids].every((id, i) => id === listed[i])
    if (isMade) delete record[list]
  }
}

function idsBelow(record: JsonObject): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const note = (noun: string, entity: JsonObject) => {
    const lists = [
      [`${noun}_ids`, textIn(entity[`${noun}_id`])],
      [`submitter_${noun}_ids`, textIn(entity.submitter_id)],
    ] as const
    for (const [list, id] of lists) {
      if (id !== undefined) found.set(list, (found.get(list) ?? new Set()).add(id))
    }
  }
  eachSpecimen(record, (specimen, { noun }) => note(noun, specimen))
  for (const diagnosis of objectsIn(record.diagnoses)) note('diagnosis', diagnosis)
  return found
}

function textsIn(value: JsonObject[string]): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
