import { openState, statePath } from './shared/catalogue/state.ts'
import { STATE_TABLES } from './shared/catalogue/state-tables.ts'
import type { Database } from './shared/database/database.ts'
import { LazyDatabase } from './shared/database/lazy-database.ts'
import type { TableSet } from './shared/database/migrations.ts'
import { type DatabasePlace, databasePath } from './shared/database/open.ts'
import type { DatabaseTimes } from './shared/database/postgresql/server-watch.ts'
import { SessionDatabase } from './shared/database/session-database.ts'
import { CallingBackend } from './shared/database/sqlite/calling-backend.ts'
import { inlineThread } from './shared/database/sqlite/inline-thread.ts'
import type { StartThread } from './shared/database/sqlite/protocol.ts'
import { SUBMISSION_FILE_TABLES } from './submission/files/tables.ts'
import { SUBMISSION_TABLES } from './submission/transactions/store/tables.ts'

/** Where state that may be shared lies: in a data folder, or in a PostgreSQL database. */
export interface StatePlace {
  readonly dataFolder: string
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
}

/** What has tables in the embedded database. */
const EMBEDDED_ROOMS: readonly TableSet[] = Object.freeze([
  SUBMISSION_TABLES,
  SUBMISSION_FILE_TABLES,
])
/** Whoever opens a database has to know of all its tables. */
const SERVER_ROOMS: readonly TableSet[] = Object.freeze([...EMBEDDED_ROOMS, STATE_TABLES])

/** The database of submissions. */
export function submissionDatabase(
  { dataFolder, stateUrl, stateTimes }: StatePlace,
  startThread: StartThread = inlineThread,
): Database {
  if (stateUrl !== undefined)
    return new LazyDatabase({ url: stateUrl, times: stateTimes }, SERVER_ROOMS)
  const place: DatabasePlace = { path: databasePath(dataFolder), startThread }
  return new LazyDatabase(place, EMBEDDED_ROOMS)
}

/**
 * The database of tokens, keys, stored files, genes and notifications: with a URL beside that of
 * submissions and with connections of its own, since every request asks for something here and an
 * export holds a connection for as long as its reader takes; without one `state.sqlite`, which is
 * made if need be.
 * @throws EngineError as openState
 */
export function sharedState({ dataFolder, stateUrl, stateTimes }: StatePlace): Database {
  if (stateUrl !== undefined)
    return new LazyDatabase({ url: stateUrl, times: stateTimes }, SERVER_ROOMS)
  const path = statePath(dataFolder)
  openState(path).close()
  return new SessionDatabase(new CallingBackend(path, 'state database'))
}
