/** Builds the SQL to insert a row. Names must come from the program, never from outside. */
export function insertInto(table: string, columns: readonly string[]): string {
  const values = columns.map(() => '?').join(', ')
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`
}

/** Like insertInto, but replaces a row that has the same key. */
export function upsertInto(
  table: string,
  columns: readonly string[],
  key: readonly string[],
): string {
  const others = columns.filter((column) => !key.includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `${insertInto(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`
}
