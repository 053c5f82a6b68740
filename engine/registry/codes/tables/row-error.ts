/** Refuses one row of a table without stopping the others. */
export class RowError extends Error {
  override readonly name = 'RowError'
  /** The invalid column, if a single one is to blame. */
  readonly column: string | undefined

  constructor(message: string, column?: string) {
    super(message)
    this.column = column
  }
}
