// Lists in a single table cell, separated by commas. joinList and splitList are inverse to each other.

/** Matches a value that splitList would split, trim or unquote. */
const NEEDS_QUOTES = /[",]|^\s|\s$/

/** Joins values with `, `. Values that contain a comma or quote are quoted (RFC 4180). */
export const joinList = (values: readonly string[]): string => values.map(quoted).join(', ')

const quoted = (value: string) =>
  NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value

const VALUE = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(,|$)/y

/**
 * Splits a cell into trimmed values. Commas within quotes do not separate. Quotes that do not enclose a whole
 * value are part of the text.
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
