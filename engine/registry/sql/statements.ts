/** Builds the SQL to insert a row. Names must be constants of the program, never input. */
export function insertInto(table: string, columns: readonly string[]): string {
  const values = columns.map(() => '?').join(', ')
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`
}

/** Does the same as insertInto, but replaces a row with the same key. */
export function upsertInto(
  table: string,
  columns: readonly string[],
  key: readonly string[],
): string {
  const others = columns.filter((column) => !key.includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `${insertInto(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`
}
