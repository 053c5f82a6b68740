import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Database } from '../../../../engine/shared/database/database.ts'
import type { TableSet } from '../../../../engine/shared/database/migrations.ts'
import {
  type DatabasePlace,
  databasePath,
  openDatabase,
} from '../../../../engine/shared/database/open.ts'
import { startSqliteThread } from '../../../../workers/sqlite-thread.ts'
import { available } from '../../../available.ts'
import { sample } from '../../../depth.ts'
import { PostgresServer } from './postgres.ts'

/** A kind of database under test. */
interface Bed {
  /** A place without a database. */
  place(): Promise<DatabasePlace>
  /** Opens a database that is closed after the test. */
  open(place: DatabasePlace, tableSets?: readonly TableSet[]): Promise<Database>
  readonly server: PostgresServer | undefined
}

/** One dialect in usual runs, both in the exhaustive run. */
export const DIALECTS = sample(['sqlite', 'postgresql'] as const, 1)

/** Whether the tests of a dialect can run here. */
export const canRun = (dialect: (typeof DIALECTS)[number]) =>
  dialect === 'sqlite' || available.postgresql

/** Sets a dialect up for the tests of the calling block. */
export function prepareBed(dialect: (typeof DIALECTS)[number]): Bed {
  const folders: string[] = []
  const open: Database[] = []
  const server = dialect === 'postgresql' ? new PostgresServer() : undefined
  beforeAll(() => server?.start())
  afterEach(async () => {
    await Promise.all(open.splice(0).map((database) => database.close()))
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  afterAll(() => server?.stop())
  return {
    server,
    async place() {
      if (server) return { url: await server.url() }
      const folder = mkdtempSync(join(tmpdir(), 'casemill-database-'))
      folders.push(folder)
      return { path: databasePath(folder), startThread: startSqliteThread }
    },
    async open(place, tableSets = []) {
      const database = await openDatabase(place, tableSets)
      open.push(database)
      return database
    },
  }
}
