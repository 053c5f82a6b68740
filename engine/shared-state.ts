import { RELEASE_TABLES } from './commons/distribution/tables.ts'
import { REGISTRY_TABLES } from './shared/catalogue/registry-tables.ts'
import { openState, pendingVersions, statePath } from './shared/catalogue/state.ts'
import { STATE_TABLES } from './shared/catalogue/state-tables.ts'
import type { Database } from './shared/database/database.ts'
import { LazyDatabase } from './shared/database/lazy-database.ts'
import {
  inDialect,
  LEDGER,
  migrate,
  type PendingSteps,
  type TableSet,
} from './shared/database/migrations.ts'
import { type DatabasePlace, databasePath, pendingOfDatabase } from './shared/database/open.ts'
import type { DatabaseTimes } from './shared/database/postgresql/server-watch.ts'
import { SessionDatabase } from './shared/database/session-database.ts'
import { CallingBackend } from './shared/database/sqlite/calling-backend.ts'
import { inlineThread } from './shared/database/sqlite/inline-thread.ts'
import { MemoryBackend } from './shared/database/sqlite/memory-backend.ts'
import type { StartThread } from './shared/database/sqlite/protocol.ts'
import { finishCopy } from './state-part.ts'
import { SUBMISSION_FILE_TABLES } from './submission/files/tables.ts'
import { SUBMISSION_TABLES } from './submission/transactions/store/tables.ts'

/** Location of the state: a data folder, or a PostgreSQL database that several servers share. */
export interface StatePlace {
  readonly dataFolder: string
  /** URL of the PostgreSQL database. Without it, the state is in SQLite databases in the data folder. */
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
  /**
   * Whether pending migrations of a PostgreSQL database run when it is opened. Defaults to true. If false,
   * `casemill state migrate` must run them.
   */
  readonly stateMigrates?: boolean | undefined
}

/** Table sets of the embedded database of submissions. */
const EMBEDDED_TABLES: readonly TableSet[] = Object.freeze([
  SUBMISSION_TABLES,
  SUBMISSION_FILE_TABLES,
])
/** Table sets of the PostgreSQL database. It must always be opened with all of them. */
const SERVER_TABLES: readonly TableSet[] = Object.freeze([
  ...EMBEDDED_TABLES,
  STATE_TABLES,
  RELEASE_TABLES,
  REGISTRY_TABLES,
])

/** Returns the database of submissions. It is opened on first use. */
export function submissionDatabase(
  place: StatePlace,
  startThread: StartThread = inlineThread,
): Database {
  const server = serverOf(place)
  if (server) return new LazyDatabase(server, SERVER_TABLES)
  return new LazyDatabase({ path: databasePath(place.dataFolder), startThread }, EMBEDDED_TABLES)
}

function serverOf({ stateUrl, stateTimes, stateMigrates }: StatePlace): DatabasePlace | undefined {
  if (stateUrl === undefined) return undefined
  return { url: stateUrl, times: stateTimes, migrates: stateMigrates }
}

/**
 * Returns the database of tokens, keys, stored files, genes, notifications and the registry. With `stateUrl` it
 * is the PostgreSQL database of submissions, with connections of its own: every request needs this database,
 * and an export of submissions keeps a connection for as long as its client reads. Otherwise it is
 * `state.sqlite`, which is created if it is missing.
 * @throws EngineError as openState
 */
export function sharedState(place: StatePlace): Database {
  const server = serverOf(place)
  if (server) return new LazyDatabase(server, SERVER_TABLES)
  const path = statePath(place.dataFolder)
  finishCopy(place.dataFolder)
  openState(path).close()
  return new SessionDatabase(new CallingBackend(path, 'state database'))
}

/**
 * Returns the pending migrations of the PostgreSQL database, or of both databases in the data folder.
 * @throws EngineError as openDatabase and openState
 */
export async function pendingState(place: StatePlace): Promise<readonly PendingStep[]> {
  const server = serverOf(place)
  if (server) return stepsOf(await pendingOfDatabase(server, SERVER_TABLES))
  const embedded = { path: databasePath(place.dataFolder), startThread: inlineThread }
  const ofState = pendingVersions(statePath(place.dataFolder))
  return [
    ...ofState.map((step) => ({ tables: 'state.sqlite', step, isAdditive: false })),
    ...stepsOf(await pendingOfDatabase(embedded, EMBEDDED_TABLES)),
  ]
}

/**
 * Runs all pending migrations, even if `stateMigrates` is false.
 * @returns the steps that were pending
 * @throws EngineError as pendingState
 */
export async function migrateState(place: StatePlace): Promise<readonly PendingStep[]> {
  const pending = await pendingState(place)
  if (pending.length === 0) return []
  const opened = { ...place, stateMigrates: true }
  for (const database of [sharedState(opened), submissionDatabase(opened)]) {
    await database.ask('SELECT 1').finally(() => database.close())
  }
  return pending
}

/** A pending migration of a table set or of `state.sqlite`. Steps are counted from 1. */
interface PendingStep {
  /** Name of the table set, or `state.sqlite`. */
  readonly tables: string
  readonly step: number
  /** Whether older servers can keep running with it. */
  readonly isAdditive: boolean
}

function stepsOf(pending: readonly PendingSteps[]): readonly PendingStep[] {
  return pending.flatMap(({ tableSet: { name, steps }, had }) =>
    steps
      .map((step, i) => ({ tables: name, step: i + 1, isAdditive: typeof step !== 'string' }))
      .slice(had),
  )
}

/** Returns the tables of `state.sqlite`, empty and in memory, for tests and commands that need no data. */
export function emptyState(): Promise<Database> {
  return inMemory([STATE_TABLES, REGISTRY_TABLES])
}

/** Returns an SQLite database in memory with all tables of the PostgreSQL database, empty, to compare a copy with. */
export function emptyServerState(): Promise<Database> {
  return inMemory(SERVER_TABLES)
}

async function inMemory(tableSets: readonly TableSet[]): Promise<Database> {
  const database = new SessionDatabase(new MemoryBackend())
  await database.changeSchema((_, script) => script(inDialect(LEDGER, 'sqlite')))
  await migrate(database, tableSets)
  return database
}
