/** What clients distinguish issues by (submission.md 7). */
export type IssueType =
  | 'ERROR'
  | 'INVALID_LINK'
  | 'INVALID_PERMISSIONS'
  | 'INVALID_PROPERTY'
  | 'INVALID_TYPE'
  | 'INVALID_VALUE'
  | 'MISSING_PROPERTY'
  | 'NOT_FOUND'
  | 'NOT_UNIQUE'

/** Something that is wrong with an entity, or that its submitter should know. */
export interface EntityIssue {
  /** The properties it is about. */
  readonly keys: readonly string[]
  readonly message: string
  readonly type: IssueType
  /** Of a table, counted from 1. */
  readonly line?: number
  /** Of a table, counted from 1: that of the first key that it has a column of. */
  readonly column?: number
  /** The entity that is not there. */
  readonly id?: string
  /** What prevents that an entity is deleted. */
  readonly dependents?: readonly { readonly id: string; readonly type: string }[]
}
