/** Something wrong in a data folder. */
export interface Issue {
  /** The file's id, or the folder or database it is about. */
  readonly subject: string
  readonly problem: string
  /** Nothing is wrong, but somebody may not know. */
  readonly isNote?: true
}
