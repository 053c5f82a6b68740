/** Rejects one row of a table without stopping the import of the others. */
export class RowError extends Error {
  override readonly name = 'RowError'
  /** The invalid column, if a single column is the reason. */
  readonly column: string | undefined

  constructor(message: string, column?: string) {
    super(message)
    this.column = column
  }
}
