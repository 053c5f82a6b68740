import type { EntityIssue } from './entity-issue.ts'
import { type EntityResult, missingResult, storedResult } from './entity-result.ts'
import type { ChildEdge, StoredEntity } from './graph.ts'

/** Entities to delete, with all their descendants. */
export interface Deletion {
  /** The requested ids, each once. */
  readonly ids: readonly string[]
  readonly projectId: string
  /** Entities of the project among the ids. */
  readonly entities: ReadonlyMap<string, StoredEntity>
  /** Children of the entities and of all their descendants, in any version. */
  readonly children: ReadonlyMap<string, readonly ChildEdge[]>
}

/** Validates a deletion (submission.md 11). An entity is deleted together with all descendants, or not. */
export function* validateDeletion(deletion: Deletion): Generator<void, readonly EntityResult[]> {
  const results: EntityResult[] = []
  const asked = new Set(deletion.ids)
  for (const id of deletion.ids) {
    results.push(resultOf(id, asked, deletion))
    yield
  }
  return results
}

function resultOf(id: string, asked: ReadonlySet<string>, deletion: Deletion): EntityResult {
  const entity = deletion.entities.get(id)
  if (!entity) return missingResult(id)
  const issues = [...issuesOfState(entity), ...issuesOfChildren(id, asked, deletion)]
  return storedResult('delete', entity, issues)
}

function issuesOfState({ state, fileState }: StoredEntity): EntityIssue[] {
  const errors: EntityIssue[] = []
  if (state !== 'validated') {
    const message =
      state === 'submitted'
        ? 'This node has been submitted. Deletion is disallowed for submitted entities. This node must be redacted.'
        : `Unable to delete entity because it is in state '${state}'.`
    errors.push({ keys: ['state'], message, type: 'INVALID_PERMISSIONS' })
  }
  if (fileState !== null && fileState !== 'registered') {
    const message = `Unable to delete entity because its file is in file_state '${fileState}'. Delete the data of the file first.`
    errors.push({ keys: ['file_state'], message, type: 'INVALID_PERMISSIONS' })
  }
  return errors
}

/** Returns an issue if an entity has descendants that are not requested too. */
export function issuesOfChildren(
  id: string,
  asked: ReadonlySet<string>,
  { children }: Pick<Deletion, 'children'>,
  verb: 'delete' | 'redact' = 'delete',
): EntityIssue[] {
  const below = new Map<string, string>()
  const ahead = [id]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const { child, type } of children.get(next) ?? []) {
      if (child === id || below.has(child)) continue
      below.set(child, type)
      ahead.push(child)
    }
  }
  const dependents = [...below].filter(([child]) => !asked.has(child))
  if (dependents.length === 0) return []
  const verbing = verb === 'delete' ? 'deleting' : 'redacting'
  const message = `Unable to ${verb} entity because at least ${dependents.length} other(s) directly or indirectly depend on it. You can only ${verb} this entity by ${verbing} its dependents prior to, or during the same transaction as this one.`
  return [
    {
      keys: [],
      message,
      type: 'INVALID_LINK',
      dependents: dependents.map(([child, type]) => ({ id: child, type })),
    },
  ]
}
