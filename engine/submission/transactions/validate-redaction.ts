import type { EntityIssue } from './entity-issue.ts'
import { type EntityResult, missingResult, storedResult } from './entity-result.ts'
import { REDACTED, type StoredEntity, wasReleased } from './graph.ts'
import { type Deletion, issuesOfChildren } from './validate-deletion.ts'

/** Validates a redaction (submission.md 11) of released entities. It must include all descendants. */
export function* validateRedaction(asked: Deletion): Generator<void, readonly EntityResult[]> {
  const results: EntityResult[] = []
  const ids = new Set(asked.ids)
  for (const id of asked.ids) {
    const entity = asked.entities.get(id)
    if (entity) {
      const issues = [...issuesOfState(entity), ...issuesOfChildren(id, ids, asked, 'redact')]
      results.push(storedResult('redact', entity, issues))
    } else results.push(missingResult(id))
    yield
  }
  return results
}

function issuesOfState(entity: StoredEntity): EntityIssue[] {
  const { state } = entity
  if (state !== REDACTED && wasReleased(entity)) return []
  const message =
    state === REDACTED
      ? 'Entity is redacted already.'
      : `Entity is in state '${state}', and no release has it: it is deleted, not redacted.`
  return [{ keys: ['state'], message, type: 'INVALID_PERMISSIONS' }]
}
