/** What hides a question mark: texts, quoted names, comments. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g

/** A statement with `$1`, `$2` in place of each `?`. */
export function numbered(sql: string): string {
  let count = 0
  return sql.replace(PARTS, (part) => (part === '?' ? `$${++count}` : part))
}

/**
 * An INSERT of one row whose rows cannot meet each other in what follows VALUES: an ON CONFLICT that
 * updates may not touch a row twice in one statement, but may in two.
 */
const INSERT =
  /^(\s*INSERT\s+INTO\s[^?]*?\bVALUES\s*)(\([\s?,]+\))(\s*(?:ON\s+CONFLICT\b[^?]*?\bDO\s+NOTHING\s*)?)$/i

/** The same INSERT for several rows at once; undefined for any other statement. */
export function widened(sql: string, rows: number): string | undefined {
  const [, before, row, after] = INSERT.exec(sql) ?? []
  if (before === undefined) return undefined
  return `${before}${Array.from({ length: rows }, () => row).join(', ')}${after}`
}
