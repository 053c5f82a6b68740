import type { Json, JsonObject } from '../../shared/input/json-value.ts'
import type { StoredEntity, StoredReference } from '../transactions/graph.ts'

/** State that all released records have (data-commons-service.md 3.2). */
export const RELEASED = 'released'

/** Converts an entity to a record, or to a part of one. Properties keep their names. */
export function entityDocument(entity: StoredEntity): JsonObject {
  const { id, type, submitterId, properties, createdAt, updatedAt } = entity
  return {
    ...jsonOf(properties),
    [`${type}_id`]: id,
    submitter_id: submitterId,
    state: RELEASED,
    created_datetime: createdAt,
    updated_datetime: updatedAt,
  }
}

/** Returns the record of a reference, such as a center, for the release. */
export function referenceDocument({ id, type, properties }: StoredReference): JsonObject {
  return { ...jsonOf(properties), [`${type}_id`]: id }
}

/** Integers beyond the precision of a double lose digits, because records are searched as doubles. */
function jsonOf(properties: Readonly<Record<string, unknown>>): JsonObject {
  const members = Object.entries(properties).map(([name, value]) => [name, plain(value)])
  return Object.fromEntries(members)
}

function plain(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value)
  return Array.isArray(value) ? value.map(plain) : (value as Json)
}
