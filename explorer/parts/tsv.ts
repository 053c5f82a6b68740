/** Returns a row of a table as TSV. Tabs and line breaks in values become spaces. */
export const tsvLine = (cells: readonly (string | number | undefined)[]): string =>
  `${cells.map((cell) => String(cell ?? '').replace(/[\t\r\n]/g, ' ')).join('\t')}\n`
