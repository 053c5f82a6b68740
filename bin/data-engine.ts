import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Engine, openEngine } from '../engine/index.ts'
import { startSqliteThread } from '../workers/sqlite-thread.ts'
import { dataFolder } from './data-folder.ts'
import { demoBytes } from './demo-bytes.ts'
import { hasData, noData } from './has-data.ts'
import { readStoredSettings } from './stored-settings.ts'
import { withThreads } from './threads.ts'

type Use<Result> = (engine: Engine) => Promise<Result>

/** Opens the engine of the data folder with its threads, passes it to `use`, and closes it. */
export async function withEngine<Result>(
  command: Command,
  { create }: { readonly create: boolean },
  use: Use<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  if (!create && !isThere(folder)) throw noData(folder)
  return withEngineOf(folder, use)
}

/** Opens the engine for an import. A dry run creates no data folder. */
export async function withEngineToChange<Result>(
  command: Command,
  { dryRun }: { readonly dryRun: boolean },
  use: Use<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  if (!dryRun || isThere(folder)) return withEngineOf(folder, use)
  const empty = await mkdtemp(join(tmpdir(), 'casemill-dry-run-'))
  try {
    return await withEngineOf(empty, use)
  } finally {
    await rm(empty, { recursive: true, force: true })
  }
}

/** Returns whether a folder has data. If the database is remote, the folder may be nearly empty. */
const isThere = (folder: string): boolean =>
  readStoredSettings().stateUrl === undefined ? hasData(folder) : existsSync(folder)

function withEngineOf<Result>(folder: string, use: Use<Result>): Promise<Result> {
  return withThreads(async (executor) => {
    const engine = await openEngine({
      dataFolder: folder,
      executor,
      startDatabaseThread: startSqliteThread,
      makeBytes: demoBytes(),
      ...readStoredSettings(),
    })
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  })
}
