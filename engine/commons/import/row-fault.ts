/** One row or record of a source cannot be taken; the import goes on with the next. */
export class RowFault extends Error {
  override readonly name = 'RowFault'
}

/** Nothing of a table can be taken; the import goes on with the next file. */
export class TableFault extends Error {
  override readonly name = 'TableFault'
}
