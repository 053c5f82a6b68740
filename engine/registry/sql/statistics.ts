import type { Database } from '../../shared/database/database.ts'

/** Smaller imports are found quickly with any query plan. */
const MANY_ROWS = 500

/**
 * Runs ANALYZE on PostgreSQL tables after a large import. Autovacuum would do so a minute or more later. Until
 * then, the planner guesses, and reads all records of a version to find a few.
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
