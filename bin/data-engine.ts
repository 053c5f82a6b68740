import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Engine, openEngine } from '../engine/index.ts'
import { startSqliteThread } from '../workers/sqlite-thread.ts'
import { dataFolder } from './data-folder.ts'
import { demoBytes } from './demo-bytes.ts'
import { hasData, noData } from './has-data.ts'
import { readStoredSettings } from './stored-settings.ts'
import { withThreads } from './threads.ts'

/** Opens the engine of the data folder with its threads, passes it to `use`, and closes it. */
export async function withEngine<Result>(
  command: Command,
  { create }: { readonly create: boolean },
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  const stored = readStoredSettings()
  // With a remote database the data folder may be nearly empty.
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
