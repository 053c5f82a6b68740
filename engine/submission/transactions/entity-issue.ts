/** Types of issues that clients distinguish (submission.md 7). */
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

/** An error or warning about an entity. */
export interface EntityIssue {
  /** Properties to which the issue refers. */
  readonly keys: readonly string[]
  readonly message: string
  readonly type: IssueType
  /** Line of a table, starting at 1. */
  readonly line?: number
  /** Column of a table, starting at 1. It belongs to the first key that has a column. */
  readonly column?: number
  /** Id of the missing entity. */
  readonly id?: string
  /** Entities that prevent a deletion. */
  readonly dependents?: readonly { readonly id: string; readonly type: string }[]
}
