import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EngineError } from '../errors.ts'
import type { Database } from './database.ts'
import {
  inDialect,
  LEDGER,
  migrate,
  type PendingSteps,
  pendingSteps,
  type TableSet,
} from './migrations.ts'
import { PostgresqlBackend } from './postgresql/backend.ts'
import type { DatabaseTimes } from './postgresql/server-watch.ts'
import { SessionDatabase } from './session-database.ts'
import { SqliteBackend, type SqliteOptions } from './sqlite/backend.ts'

/** Location of a database: a file, or the URL of a server. */
export type DatabasePlace =
  | SqliteOptions
  | {
      readonly url: string
      readonly times?: Partial<DatabaseTimes> | undefined
      /** Whether to apply pending steps. If false, they are left to `casemill state migrate`. */
      readonly migrates?: boolean | undefined
    }

/**
 * Returns the path of the embedded database in a data folder. It is separate from the state database of
 * engine/shared/catalogue. Calls of the latter block the thread, for which a transaction of this one may be
 * waiting.
 */
export function databasePath(dataFolder: string): string {
  return join(dataFolder, 'database.sqlite')
}

/**
 * Opens a database. Creates or migrates it if needed. Several processes may have it open.
 * @throws EngineError `unavailable` if it cannot be opened or reached, has unsafe settings, was written by a
 *   newer version, or needs a migration that is not allowed here; `corrupt_source` if the file is not a
 *   database; `bad_input` if the URL is invalid
 */
export async function openDatabase(
  place: DatabasePlace,
  tableSets: readonly TableSet[],
): Promise<Database> {
  const backend = backendOf(place)
  const database = new SessionDatabase(backend)
  try {
    if ('url' in place && place.migrates === false) {
      await requireMigrated(database, tableSets)
      await backend.prepare(undefined)
      return database
    }
    await backend.prepare(inDialect(LEDGER, backend.dialect))
    await migrate(database, tableSets)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Returns the steps that opening a database would apply. Changes nothing.
 * @throws EngineError like openDatabase
 */
export async function pendingOfDatabase(
  place: DatabasePlace,
  tableSets: readonly TableSet[],
): Promise<readonly PendingSteps[]> {
  if ('path' in place && !existsSync(place.path)) {
    return tableSets.map((tableSet) => ({ tableSet, had: 0 }))
  }
  const database = new SessionDatabase(backendOf(place))
  try {
    return await pendingSteps(database, tableSets)
  } finally {
    await database.close()
  }
}

function backendOf(place: DatabasePlace) {
  return 'url' in place ? new PostgresqlBackend(place.url, place.times) : new SqliteBackend(place)
}

async function requireMigrated(database: Database, tableSets: readonly TableSet[]): Promise<void> {
  const [first] = await pendingSteps(database, tableSets)
  if (!first) return
  throw new EngineError(
    'unavailable',
    `the database has not had step ${first.had + 1} of "${first.tableSet.name}"; run casemill state migrate, or unset CASEMILL_STATE_MIGRATE`,
  )
}
