/** One row of a table cannot be taken; the others may. */
export class RowRefusal extends Error {
  override readonly name = 'RowRefusal'
  /** The column that is at fault, where it is one. */
  readonly column: string | undefined

  constructor(message: string, column?: string) {
    super(message)
    this.column = column
  }
}
