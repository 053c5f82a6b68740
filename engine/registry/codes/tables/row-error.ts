/** One row of a table cannot be taken; the others may. */
export class RowError extends Error {
  override readonly name = 'RowError'
  /** The column that is wrong, where it is one. */
  readonly column: string | undefined

  constructor(message: string, column?: string) {
    super(message)
    this.column = column
  }
}
