import type { EntityIssue } from './entity-issue.ts'
import { corrected } from './entity-properties.ts'
import { type EntityResult, missingResult, storedResult } from './entity-result.ts'
import { REDACTED, type StoredEntity, wasReleased } from './graph.ts'
import type { Types } from './shared-types.ts'
import type { Deletion } from './validate-deletion.ts'

/** Properties that identify an entity in every dictionary. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'type', 'project_id', 'submitter_id'])

interface Shortened {
  readonly results: readonly EntityResult[]
  readonly entities: readonly { readonly before: StoredEntity; readonly after: StoredEntity }[]
}

/**
 * Removes optional properties from entities (submission.md 11, `fields`).
 * @param by time of the transaction in ISO 8601, and whether its submitter may change released entities
 */
export function withoutFields(
  deletion: Deletion,
  fields: readonly string[],
  types: Types,
  by: { readonly now: string; readonly mayCorrect: boolean },
): Shortened {
  const asked = { fields, types, mayCorrect: by.mayCorrect }
  const results = deletion.ids.map((id) => resultOf(id, deletion, asked))
  const entities = [...deletion.entities.values()].map((before) => {
    const rest = Object.entries(before.properties).filter(([key]) => !fields.includes(key))
    const isSame = rest.length === Object.keys(before.properties).length
    if (isSame) return { before, after: before }
    const changed = { ...before, properties: Object.fromEntries(rest), updatedAt: by.now }
    return { before, after: wasReleased(before) ? corrected(changed, by.now) : changed }
  })
  return { results, entities }
}

interface DeletedFields {
  readonly fields: readonly string[]
  readonly types: Types
  readonly mayCorrect: boolean
}

function resultOf(id: string, { entities }: Deletion, asked: DeletedFields): EntityResult {
  const entity = entities.get(id)
  if (!entity) return missingResult(id)
  return storedResult('update', entity, issuesOf(entity, asked))
}

function issuesOf(
  entity: StoredEntity,
  { fields, types, mayCorrect }: DeletedFields,
): readonly EntityIssue[] {
  const { state, type: name } = entity
  const type = types.get(name)
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
  const isCorrection = mayCorrect && state !== REDACTED && wasReleased(entity)
  if (state === 'validated' || isCorrection) return errors
  const message = `Entity is in state '${state}', which prevents an update.`
  return [...errors, { keys: ['state'], message, type: 'INVALID_PERMISSIONS' }]
}
