import { join } from 'node:path'
import type { Database } from './database.ts'
import { inDialect, LEDGER, migrate, type TableSet } from './migrations.ts'
import { PostgresqlBackend } from './postgresql/backend.ts'
import type { DatabaseTimes } from './postgresql/server-watch.ts'
import { SessionDatabase } from './session-database.ts'
import { SqliteBackend, type SqliteOptions } from './sqlite/backend.ts'

/** An embedded database by its file, or one of a server by its URL. */
export type DatabasePlace =
  | SqliteOptions
  | { readonly url: string; readonly times?: Partial<DatabaseTimes> | undefined }

/**
 * Where the embedded database of a data folder lies. Not in the file of engine/shared/catalogue: its calls
 * block the thread that a transaction of this one may be waiting for.
 */
export function databasePath(dataFolder: string): string {
  return join(dataFolder, 'database.sqlite')
}

/**
 * Opens (creating, migrating) a database. Several processes may have it open.
 * @throws EngineError `unavailable` when it cannot be opened or reached, keeps no promises or was
 *   written by a newer version, `corrupt_source` when a file is no database, `bad_input` for a URL
 *   that cannot be read
 */
export async function openDatabase(
  place: DatabasePlace,
  tableSets: readonly TableSet[],
): Promise<Database> {
  const backend =
    'url' in place ? new PostgresqlBackend(place.url, place.times) : new SqliteBackend(place)
  const database = new SessionDatabase(backend)
  try {
    await backend.prepare(inDialect(LEDGER, backend.dialect))
    await migrate(database, tableSets)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
