import type { Database } from '../../shared/database/database.ts'

/** Fewer rows are found whichever way they are looked for. */
const MANY_ROWS = 500

/**
 * Has PostgreSQL look at tables that many rows were put into. Until it does so by itself, a minute or more
 * later, it plans by guesses, and reads all records of a version for a few of them.
 */
export async function learnOf(
  database: Database,
  tables: readonly string[],
  rows: number,
): Promise<void> {
  if (database.dialect !== 'postgresql' || rows < MANY_ROWS) return
  await database.write(async (transaction) => {
    for (const table of tables) await transaction.run(`ANALYZE ${table}`)
  })
}
