import type { EntityIssue } from './entity-issue.ts'
import type { StoredEntity } from './graph.ts'

export type EntityAction = 'create' | 'update' | 'version' | 'delete' | 'redact' | 'submit'

export interface RelatedCase {
  readonly id: string
  readonly submitter_id: string | null
}

/** Result for one entity of a transaction (submission.md 9), as clients receive it. */
export interface EntityResult {
  /** Null if it is unknown whether the entity is new or stored. */
  readonly action: EntityAction | null
  readonly errors: readonly EntityIssue[]
  readonly id: string | null
  readonly related_cases: readonly RelatedCase[]
  readonly type: string | null
  readonly unique_keys: readonly Readonly<Record<string, string>>[]
  readonly valid: boolean
  readonly warnings: readonly EntityIssue[]
}

/** Builds the result of an action on a stored entity. */
export function storedResult(
  action: EntityAction,
  { id, type, projectId, submitterId }: StoredEntity,
  errors: readonly EntityIssue[] = [],
): EntityResult {
  return {
    action,
    errors,
    id,
    related_cases: [],
    type,
    unique_keys: submitterId === null ? [] : [{ project_id: projectId, submitter_id: submitterId }],
    valid: errors.length === 0,
    warnings: [],
  }
}

/** Builds the result for an id that is not in the project (submission.md 11). */
export function missingResult(id: string): EntityResult {
  return {
    action: null,
    errors: [{ keys: ['id'], message: 'Entity not found.', type: 'NOT_FOUND', id }],
    id,
    related_cases: [],
    type: null,
    unique_keys: [],
    valid: false,
    warnings: [],
  }
}

/** An error of a transaction as a whole. */
export interface TransactionalError {
  readonly message: string
  readonly type?: 'NOT_UNIQUE'
}
