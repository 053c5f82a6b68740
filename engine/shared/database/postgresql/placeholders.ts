/** Matches parts of a statement in which a question mark is no placeholder: texts, quoted names and comments. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g

/** Replaces each `?` by `$1`, `$2` and so on. */
export function numbered(sql: string): string {
  let count = 0
  return sql.replace(PARTS, (part) => (part === '?' ? `$${++count}` : part))
}

/**
 * Matches an INSERT of one row with named columns, if several such rows cannot conflict with each other. ON
 * CONFLICT DO UPDATE is excluded, because one statement cannot update the same row twice.
 */
const INSERT =
  /^\s*INSERT\s+INTO\s+([a-z_][a-z0-9_]*)\s*\(([a-z0-9_,\s]+)\)\s*VALUES\s*\([\s?,]+\)(\s*(?:ON\s+CONFLICT\b[^?]*?\bDO\s+NOTHING\s*)?)$/i

/** An INSERT that takes one array per column. */
export interface RowsInsert {
  readonly table: string
  readonly columns: readonly string[]
  /** @param types SQL types of the columns, in order */
  sqlOf(types: readonly string[]): string
}

/** Converts a single-row INSERT into one for any number of rows. Returns undefined for any other statement. */
export function rowsInsert(sql: string): RowsInsert | undefined {
  const [, table, names, after = ''] = INSERT.exec(sql) ?? []
  if (table === undefined || names === undefined) return undefined
  const columns = names.split(',').map((name) => name.trim())
  return {
    table,
    columns,
    sqlOf(types) {
      const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')
      return `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays})${after}`
    },
  }
}
