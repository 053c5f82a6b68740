/** What hides a question mark: texts, quoted names, comments. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g

/** A statement with `$1`, `$2` in place of each `?`. */
export function numbered(sql: string): string {
  let count = 0
  return sql.replace(PARTS, (part) => (part === '?' ? `$${++count}` : part))
}

/**
 * An INSERT of one row of parameters, with its columns named, whose rows cannot meet each other in what
 * follows VALUES: an ON CONFLICT that updates may not touch a row twice in one statement, but may in two.
 */
const INSERT =
  /^\s*INSERT\s+INTO\s+([a-z_][a-z0-9_]*)\s*\(([a-z0-9_,\s]+)\)\s*VALUES\s*\([\s?,]+\)(\s*(?:ON\s+CONFLICT\b[^?]*?\bDO\s+NOTHING\s*)?)$/i

/** An INSERT of rows that are given as one array for each column. */
export interface RowsInsert {
  readonly table: string
  readonly columns: readonly string[]
  /** @param types of the columns, in their order */
  sqlOf(types: readonly string[]): string
}

/** The same INSERT for any number of rows at once; undefined for any other statement. */
export function rowsInsert(sql: string): RowsInsert | undefined {
  const [, table, names, after = ''] = INSERT.exec(sql) ?? []
  if (table === undefined || names === undefined) return undefined
  const columns = names.split(',').map((name) => name.trim())
  return {
    ...{ table, columns },
    sqlOf(types) {
      const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')
      return `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays})${after}`
    },
  }
}
