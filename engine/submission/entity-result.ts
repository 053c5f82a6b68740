import type { EntityProblem } from './entity-problem.ts'

export type EntityAction = 'create' | 'update' | 'version' | 'delete' | 'submit'

export interface RelatedCase {
  readonly id: string
  readonly submitter_id: string | null
}

/** What became of one entity of a transaction (submission 9), as clients read it. */
export interface EntityResult {
  /** Absent for what could not be told to be new or stored. */
  readonly action: EntityAction | null
  readonly errors: readonly EntityProblem[]
  readonly id: string | null
  readonly related_cases: readonly RelatedCase[]
  readonly type: string | null
  readonly unique_keys: readonly Readonly<Record<string, string>>[]
  readonly valid: boolean
  readonly warnings: readonly EntityProblem[]
}

/** Something that is wrong with a transaction as a whole. */
export interface TransactionalError {
  readonly message: string
  readonly type?: 'NOT_UNIQUE'
}
