import type { Json, JsonObject } from '../../shared/input/json-value.ts'
import type { StoredEntity, StoredReference } from '../transactions/graph.ts'

/** What all records of released things say of themselves (data-commons-service.md 3.2). */
export const RELEASED = 'released'

/** An entity as a record, or a part of one, says it: its properties by the same names. */
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

export function referenceDocument({ id, type, properties }: StoredReference): JsonObject {
  return { ...jsonOf(properties), [`${type}_id`]: id }
}

/** Whole numbers beyond a double lose digits: records are searched by doubles. */
function jsonOf(properties: Readonly<Record<string, unknown>>): JsonObject {
  const members = Object.entries(properties).map(([name, value]) => [name, plain(value)])
  return Object.fromEntries(members)
}

function plain(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value)
  return Array.isArray(value) ? value.map(plain) : (value as Json)
}
