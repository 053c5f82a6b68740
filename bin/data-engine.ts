import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Engine, openEngine } from '../engine/index.ts'
import { startSqliteThread } from '../workers/sqlite-thread.ts'
import { dataFolder } from './data-folder.ts'
import { demoBytes } from './demo-bytes.ts'
import { hasData, noData } from './has-data.ts'
import { readStoredSettings } from './stored-settings.ts'
import { withThreads } from './threads.ts'

/** Opens the data folder's engine, with threads, for the time of `use`. */
export async function withEngine<Result>(
  command: Command,
  { create }: { readonly create: boolean },
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  const stored = readStoredSettings()
  // With a database elsewhere, a data folder may hold next to nothing.
  const isThere = stored.stateUrl === undefined ? hasData(folder) : existsSync(folder)
  if (!create && !isThere) throw noData(folder)
  return withThreads(async (executor) => {
    const engine = await openEngine({
      dataFolder: folder,
      executor,
      startDatabaseThread: startSqliteThread,
      makeBytes: demoBytes(),
      ...stored,
    })
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  })
}
