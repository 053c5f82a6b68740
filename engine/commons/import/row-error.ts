/** One row or record of a source cannot be taken; the import goes on with the next. */
export class RowError extends Error {
  override readonly name = 'RowFault'
}

/** Nothing of a table can be taken; the import goes on with the next file. */
export class TableError extends Error {
  override readonly name = 'TableFault'
}
