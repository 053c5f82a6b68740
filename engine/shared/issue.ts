/** A problem in a data folder. */
export interface Issue {
  /** Id of the file, or the folder or database concerned. */
  readonly subject: string
  readonly problem: string
  /** Whether this is only a remark for the operator and not a problem. */
  readonly isNote?: true
}
