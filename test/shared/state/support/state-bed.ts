import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Database } from '../../../../engine/shared/database/database.ts'
import { type StatePlace, sharedState } from '../../../../engine/shared-state.ts'
import type { DIALECTS } from '../../database/support/dialects.ts'
import { PostgresServer } from '../../database/support/postgres.ts'

/** State that is empty at the start of each test. */
export interface StateBed {
  readonly database: Database
  readonly place: StatePlace
  /** Opens the same state again, as another process does. It is closed after the test. */
  another(): Database
}

const TABLES = [
  ...['personal_tokens', 'sessions', 'people', 'access_map', 'access_revocations'],
  ...['tokens', 'grants', 'users', 'registry_keys', 'files', 'file_owners', 'genes'],
  ...['notifications', 'work_tasks'],
]
/** Restarts the ids of notifications. */
const RESTART = {
  sqlite: 'DELETE FROM sqlite_sequence',
  postgresql: 'ALTER TABLE notifications ALTER COLUMN id RESTART',
} as const

/** Sets the state of a dialect up for the tests of the calling block. */
export function prepareState(dialect: (typeof DIALECTS)[number]): StateBed {
  const dataFolder = mkdtempSync(join(tmpdir(), 'casemill-state-'))
  const server = dialect === 'postgresql' ? new PostgresServer() : undefined
  let stateUrl: string | undefined
  const bed = new OpenedState(() => ({ dataFolder, stateUrl }))
  beforeAll(async () => {
    await server?.start()
    stateUrl = await server?.url()
    bed.open()
  })
  beforeEach(() =>
    bed.database.write(async (transaction) => {
      for (const table of TABLES) await transaction.run(`DELETE FROM ${table}`)
      await transaction.run(RESTART[dialect])
    }),
  )
  afterEach(() => bed.closeOthers())
  afterAll(async () => {
    await bed.close()
    await server?.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  })
  return bed
}

class OpenedState implements StateBed {
  readonly #place: () => StatePlace
  readonly #others: Database[] = []
  #database: Database | undefined

  constructor(place: () => StatePlace) {
    this.#place = place
  }

  get database(): Database {
    if (!this.#database) throw new Error('the state is not open')
    return this.#database
  }

  get place(): StatePlace {
    return this.#place()
  }

  open(): void {
    this.#database = sharedState(this.place)
  }

  another(): Database {
    const other = sharedState(this.place)
    this.#others.push(other)
    return other
  }

  async closeOthers(): Promise<void> {
    await Promise.all(this.#others.splice(0).map((other) => other.close()))
  }

  async close(): Promise<void> {
    await this.closeOthers()
    await this.#database?.close()
    this.#database = undefined
  }
}
