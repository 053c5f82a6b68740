/** A row or record that cannot be imported. The import continues with the next row. */
export class RowError extends Error {
  override readonly name = 'RowFault'
}

/** A table that cannot be imported. The import continues with the next file. */
export class TableError extends Error {
  override readonly name = 'TableFault'
}
