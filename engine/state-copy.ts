import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { statePath } from './shared/catalogue/state.ts'
import {
  type CopiedTable,
  copyTable,
  emptyTables,
  type TableCopy,
  tablesOf,
} from './shared/database/copy-tables.ts'
import type { Database, Transaction } from './shared/database/database.ts'
import { takeFolder } from './shared/database/folder-lock.ts'
import { databasePath } from './shared/database/open.ts'
import { syncFolder } from './shared/durable.ts'
import { EngineError } from './shared/errors.ts'
import { emptyServerState, sharedState, submissionDatabase } from './shared-state.ts'
import { finishCopy, isHalfCopied, statePart } from './state-part.ts'

export interface StateCopy {
  readonly dataFolder: string
  readonly stateUrl: string
  readonly to: 'database' | 'folder'
  readonly signal?: AbortSignal | undefined
  /** Called with each table when its rows are there. */
  readonly onTable?: ((name: string, rows: number) => void) | undefined
}

/** Result of a copy of state, and what the caller has to do afterwards. */
interface CopiedState {
  /** Tables with rows that the other side has no place for. */
  readonly left: readonly string[]
  /** Stored files whose bytes are in the data folder and not in a bucket. */
  readonly filesInFolder: number
  /** Uploads whose bytes have not arrived, or are not stored yet. */
  readonly uploads: number
}

/**
 * Copies all state of a data folder into an empty PostgreSQL database, or back. Nothing can be written on
 * either side meanwhile; what is copied appears as a whole or not at all. Bytes are not copied, nor
 * are releases.
 * @throws EngineError not_found without state in the data folder, already_exists when there is state where
 *   the copy is to be, unavailable while the folder is served, bad_input for what PostgreSQL cannot
 *   keep, and as openDatabase
 */
export async function copyState(copy: StateCopy): Promise<CopiedState> {
  const { dataFolder, to } = copy
  if (to === 'database') {
    requireState(dataFolder)
    return withFolder(dataFolder, () => copyBetween(copy, dataFolder))
  }
  await mkdir(dataFolder, { recursive: true })
  return withFolder(dataFolder, async () => {
    // One that was ended between its last two steps is made anew: the database may have changed since.
    if (isHalfCopied(dataFolder)) await rm(databasePath(dataFolder))
    requireNoState(dataFolder)
    const part = statePart(dataFolder)
    await rm(part, { recursive: true, force: true })
    await mkdir(part)
    try {
      const copied = await copyBetween(copy, part)
      await syncFolder(part)
      // Whoever looks for state looks for the second; should this end here, sharedState goes on.
      await rename(databasePath(part), databasePath(dataFolder))
      await syncFolder(dataFolder)
      finishCopy(dataFolder)
      await syncFolder(dataFolder)
      return copied
    } finally {
      await rm(part, { recursive: true, force: true })
    }
  })
}

async function withFolder<Result>(
  dataFolder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = takeFolder(dataFolder)
  try {
    return await work()
  } finally {
    giveBack()
  }
}

function requireState(dataFolder: string): void {
  if (existsSync(statePath(dataFolder))) return
  throw new EngineError('not_found', `no casemill data in "${dataFolder}"; give another folder`)
}

function requireNoState(dataFolder: string): void {
  const path = [statePath(dataFolder), databasePath(dataFolder)].find(existsSync)
  if (path === undefined) return
  const message = `"${path}" is there already; move it away, or give another folder`
  throw new EngineError('already_exists', message)
}

/** @param folder has the databases of the data folder */
async function copyBetween(copy: StateCopy, folder: string): Promise<CopiedState> {
  const { stateUrl } = copy
  const embedded = [
    sharedState({ dataFolder: folder }),
    submissionDatabase({ dataFolder: folder }),
  ] as const
  const server = submissionDatabase({ dataFolder: folder, stateUrl })
  const empty = await emptyServerState()
  try {
    // Writers of either side wait, then fail: nothing is written that the copy has not.
    return await server.write((ofServer) =>
      embedded[0].write((state) =>
        embedded[1].write((submission) =>
          empty.write((unwritten) =>
            copyAll(copy, { ofServer, ofFolder: [state, submission], unwritten }),
          ),
        ),
      ),
    )
  } finally {
    for (const database of [empty, server, ...embedded] satisfies Database[]) await database.close()
  }
}

interface Sides {
  readonly ofServer: Transaction
  readonly ofFolder: readonly Transaction[]
  /** All tables, with the rows that they begin with. */
  readonly unwritten: Transaction
}

async function copyAll(copy: StateCopy, sides: Sides): Promise<CopiedState> {
  const { ofServer, ofFolder } = sides
  const written = await writtenTables(sides)
  const [first] = written
  if (copy.to === 'database' && first !== undefined) {
    const message = `the database has rows in its table "${first}" already; give an empty one`
    throw new EngineError('already_exists', message)
  }
  const shared = new Set<string>()
  for (const side of ofFolder) {
    const tables = await tablesOf(side)
    const [from, to] = copy.to === 'database' ? [side, ofServer] : [ofServer, side]
    await emptyTables(to, tables)
    for (const table of tables) {
      shared.add(table.name)
      const rows = await copied(table, {
        from,
        to,
        signal: copy.signal,
        dialects: DIALECTS[copy.to],
      })
      copy.onTable?.(table.name, rows)
    }
  }
  const count = async (what: string) =>
    (await ofServer.get<{ readonly count: number }>(`SELECT count(*) AS count FROM ${what}`))
      ?.count ?? 0
  return {
    left: written.filter((name) => !shared.has(name)),
    filesInFolder: await count("files WHERE storage = 'folder'"),
    uploads: await count('submission_uploads'),
  }
}

const DIALECTS = {
  database: { from: 'sqlite', to: 'postgresql' },
  folder: { from: 'postgresql', to: 'sqlite' },
} as const

async function copied(table: CopiedTable, copy: TableCopy): Promise<number> {
  try {
    return await copyTable(table, copy)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, message } = error
    throw new EngineError(code, `table "${table.name}": ${message}`, { cause: error })
  }
}

/** Tables of the server with other rows than they begin with. */
async function writtenTables({ ofServer, unwritten }: Sides): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name, columns } of await tablesOf(unwritten)) {
    const sql = `SELECT ${columns.join(', ')} FROM ${name}`
    const first = await unwritten.all<object>(sql)
    const now = await ofServer.all<object>(`${sql} LIMIT ${first.length + 1}`)
    if (textsOf(first) !== textsOf(now)) found.push(name)
  }
  return found
}

/** Rows, whichever way they are ordered. */
const textsOf = (rows: readonly object[]) =>
  rows
    .map((row) => JSON.stringify(Object.values(row)))
    .toSorted()
    .join('\n')
