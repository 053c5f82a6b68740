// Lists in one cell, with commas between their values. Writers and readers of the service agree by these two.

/** A value that would be read as several, or without its quotes or blanks. */
const NEEDS_QUOTES = /[",]|^\s|\s$/

/** A cell with values, `, ` between them; a value that has a comma itself stands in quotes (RFC 4180). */
export const joinList = (values: readonly string[]): string => values.map(quoted).join(', ')

const quoted = (value: string) =>
  NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value

const VALUE = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(,|$)/y

/**
 * The values of a cell, without blanks around them. A comma within quotes separates nothing; quotes that do not
 * stand around a whole value are text.
 */
export function splitList(cell: string): readonly string[] {
  const values: string[] = []
  for (let at = 0, end = ','; end === ','; ) {
    VALUE.lastIndex = at
    const [all = '', inQuotes, bare = '', separator = ''] = VALUE.exec(cell) ?? []
    values.push(inQuotes === undefined ? bare.trim() : inQuotes.replaceAll('""', '"'))
    at += all.length
    end = separator
  }
  return values
}
