import type { EntityType } from '../dictionary/entity-type.ts'
import type { EntityIssue } from './entity-issue.ts'
import { type EntityResult, missingResult, storedResult } from './entity-result.ts'
import type { StoredEntity } from './graph.ts'
import type { Deletion } from './judge-deletion.ts'
import type { Types } from './shared-types.ts'

/** What makes an entity what it is, whatever the dictionary says. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'type', 'project_id', 'submitter_id'])

export interface Shortened {
  readonly results: readonly EntityResult[]
  readonly entities: readonly { readonly before: StoredEntity; readonly after: StoredEntity }[]
}

/**
 * Takes optional properties out of entities (submission.md 11, `fields`).
 * @param now when the transaction is, in ISO 8601
 */
export function withoutFields(
  deletion: Deletion,
  fields: readonly string[],
  types: Types,
  now: string,
): Shortened {
  const results = deletion.ids.map((id) => resultOf(id, fields, deletion, types))
  const entities = [...deletion.entities.values()].map((before) => {
    const rest = Object.entries(before.properties).filter(([key]) => !fields.includes(key))
    const isSame = rest.length === Object.keys(before.properties).length
    const after = isSame
      ? before
      : { ...before, properties: Object.fromEntries(rest), updatedAt: now }
    return { before, after }
  })
  return { results, entities }
}

function resultOf(
  id: string,
  fields: readonly string[],
  { entities }: Deletion,
  types: Types,
): EntityResult {
  const entity = entities.get(id)
  if (!entity) return missingResult(id)
  return storedResult('update', entity, issuesOf(entity, fields, types.get(entity.type)))
}

function issuesOf(
  { state, type: name }: StoredEntity,
  fields: readonly string[],
  type: EntityType | undefined,
): readonly EntityIssue[] {
  const errors = fields.flatMap((field): EntityIssue[] => {
    if (!type?.properties.has(field)) {
      const message = `Attempted to delete non-existing field "${field}" of type '${name}'.`
      return [{ keys: [field], message, type: 'INVALID_PROPERTY' }]
    }
    const isProtected =
      ALWAYS.has(field) ||
      type.required.includes(field) ||
      type.systemProperties.has(field) ||
      type.links.has(field)
    if (!isProtected) return []
    const message = `Property '${field}' of type '${name}' cannot be deleted.`
    return [{ keys: [field], message, type: 'INVALID_PROPERTY' }]
  })
  if (state === 'validated') return errors
  const message = `Entity is in state '${state}', which prevents an update.`
  return [...errors, { keys: ['state'], message, type: 'INVALID_PERMISSIONS' }]
}
