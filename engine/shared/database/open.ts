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

/** An embedded database by its file, or one of a server by its URL. */
export type DatabasePlace =
  | SqliteOptions
  | {
      readonly url: string
      readonly times?: Partial<DatabaseTimes> | undefined
      /** False leaves steps that are pending to `casemill state migrate`. */
      readonly migrates?: boolean | undefined
    }

/**
 * Where the embedded database of a data folder lies. Not in the file of engine/shared/catalogue: its calls
 * block the thread that a transaction of this one may be waiting for.
 */
export function databasePath(dataFolder: string): string {
  return join(dataFolder, 'database.sqlite')
}

/**
 * Opens (creating, migrating) a database. Several processes may have it open.
 * @throws EngineError `unavailable` when it cannot be opened or reached, keeps no promises, was
 *   written by a newer version or is not to be migrated here, `corrupt_source` when a file is no database, `bad_input` for a URL
 *   that cannot be read
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
 * What opening a database would change; changes nothing.
 * @throws EngineError as openDatabase
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
