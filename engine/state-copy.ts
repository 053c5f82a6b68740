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
  /** Direction of the copy: into the PostgreSQL database, or back into the data folder. */
  readonly to: 'database' | 'folder'
  readonly signal?: AbortSignal | undefined
  /** Called after each table with the number of rows copied. */
  readonly onTable?: ((name: string, rows: number) => void) | undefined
}

/** Result of copyState, with what the caller has to copy separately. */
interface CopiedState {
  /** Tables with rows that were not copied, because the data folder has no such table. */
  readonly left: readonly string[]
  /** Number of stored files whose bytes are in the data folder, not in a bucket. */
  readonly filesInFolder: number
  /** Number of uploads that are not complete and stored yet. */
  readonly uploads: number
}

/**
 * Copies all state of a data folder into an empty PostgreSQL database, or back. Both sides are locked for
 * writing meanwhile. The copy appears as a whole or not at all. Stored files and releases are not copied.
 * @throws EngineError not_found without state in the data folder; already_exists if the target has state;
 * unavailable while a server uses the folder; bad_input for values that PostgreSQL cannot store; also as
 * openDatabase
 */
export async function copyState(copy: StateCopy): Promise<CopiedState> {
  const { dataFolder, to } = copy
  if (to === 'database') {
    requireState(dataFolder)
    return withFolder(dataFolder, () => copyBetween(copy, dataFolder))
  }
  await mkdir(dataFolder, { recursive: true })
  return withFolder(dataFolder, async () => {
    // An interrupted copy that has moved only one database is discarded: the source may have changed since.
    if (isHalfCopied(dataFolder)) await rm(databasePath(dataFolder))
    requireNoState(dataFolder)
    const part = statePart(dataFolder)
    await rm(part, { recursive: true, force: true })
    await mkdir(part)
    try {
      const copied = await copyBetween(copy, part)
      await syncFolder(part)
      // A data folder has state if it has the second database, which is moved last. If the process ends here,
      // the next sharedState moves it.
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

/** Copies between the PostgreSQL database and the databases in `folder`. */
async function copyBetween(copy: StateCopy, folder: string): Promise<CopiedState> {
  const { stateUrl } = copy
  const embedded = [
    sharedState({ dataFolder: folder }),
    submissionDatabase({ dataFolder: folder }),
  ] as const
  const server = submissionDatabase({ dataFolder: folder, stateUrl })
  const empty = await emptyServerState()
  try {
    // Other writers of both sides wait for these locks, then fail, so the copy misses no write.
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
  /** All tables with their initial rows. */
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

/** Returns the server's tables that differ from their initial rows. */
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

/** Returns rows as a text that does not depend on their order. */
const textsOf = (rows: readonly object[]) =>
  rows
    .map((row) => JSON.stringify(Object.values(row)))
    .toSorted()
    .join('\n')
