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

/** Where state that may be shared lies: in a data folder, or in a PostgreSQL database. */
export interface StatePlace {
  readonly dataFolder: string
  readonly stateUrl?: string | undefined
  readonly stateTimes?: Partial<DatabaseTimes> | undefined
  /** False leaves steps that a PostgreSQL database has not had to `casemill state migrate`. */
  readonly stateMigrates?: boolean | undefined
}

/** What has tables in the embedded database. */
const EMBEDDED_ROOMS: readonly TableSet[] = Object.freeze([
  SUBMISSION_TABLES,
  SUBMISSION_FILE_TABLES,
])
/** Whoever opens a database has to know of all its tables. */
const SERVER_ROOMS: readonly TableSet[] = Object.freeze([
  ...EMBEDDED_ROOMS,
  STATE_TABLES,
  RELEASE_TABLES,
  REGISTRY_TABLES,
])

/** The database of submissions. */
export function submissionDatabase(
  place: StatePlace,
  startThread: StartThread = inlineThread,
): Database {
  const server = serverOf(place)
  if (server) return new LazyDatabase(server, SERVER_ROOMS)
  return new LazyDatabase({ path: databasePath(place.dataFolder), startThread }, EMBEDDED_ROOMS)
}

function serverOf({ stateUrl, stateTimes, stateMigrates }: StatePlace): DatabasePlace | undefined {
  if (stateUrl === undefined) return undefined
  return { url: stateUrl, times: stateTimes, migrates: stateMigrates }
}

/**
 * The database of tokens, keys, stored files, genes, notifications and the registry: with a URL beside that
 * of submissions and with connections of its own, since every request asks for something here and an
 * export holds a connection for as long as its reader takes; without one `state.sqlite`, which is
 * made if need be.
 * @throws EngineError as openState
 */
export function sharedState(place: StatePlace): Database {
  const server = serverOf(place)
  if (server) return new LazyDatabase(server, SERVER_ROOMS)
  const path = statePath(place.dataFolder)
  finishCopy(place.dataFolder)
  openState(path).close()
  return new SessionDatabase(new CallingBackend(path, 'state database'))
}

/**
 * Steps that databases have not had, all of them: of a server's, or of a data folder's two.
 * @throws EngineError as openDatabase and openState
 */
export async function pendingState(place: StatePlace): Promise<readonly PendingStep[]> {
  const server = serverOf(place)
  if (server) return stepsOf(await pendingOfDatabase(server, SERVER_ROOMS))
  const embedded = { path: databasePath(place.dataFolder), startThread: inlineThread }
  const ofState = pendingVersions(statePath(place.dataFolder))
  return [
    ...ofState.map((step) => ({ room: 'state.sqlite', step, isAdditive: false })),
    ...stepsOf(await pendingOfDatabase(embedded, EMBEDDED_ROOMS)),
  ]
}

/**
 * Brings databases to their last step, also where serving is not to do that.
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

/** A step of a table set, or of `state.sqlite`, counted from 1. */
interface PendingStep {
  readonly room: string
  readonly step: number
  readonly isAdditive: boolean
}

function stepsOf(pending: readonly PendingSteps[]): readonly PendingStep[] {
  return pending.flatMap(({ tableSet: { name, steps }, had }) =>
    steps
      .map((step, i) => ({ room: name, step: i + 1, isAdditive: typeof step !== 'string' }))
      .slice(had),
  )
}

/** The same state, empty and in memory alone: for what needs none, or is not to be kept. */
export function emptyState(): Promise<Database> {
  return inMemory([STATE_TABLES, REGISTRY_TABLES])
}

/** All that a database of a server has, as it is before anything is written, in memory alone. */
export function emptyServerState(): Promise<Database> {
  return inMemory(SERVER_ROOMS)
}

async function inMemory(tableSets: readonly TableSet[]): Promise<Database> {
  const database = new SessionDatabase(new MemoryBackend())
  await database.changeSchema((_, script) => script(inDialect(LEDGER, 'sqlite')))
  await migrate(database, tableSets)
  return database
}
