import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { emptyState, sharedState } from '../engine/internal.ts'
import { statePath } from '../engine/shared/index.ts'
import type { Database } from '../engine/shared/internal.ts'
import { noData } from './has-data.ts'
import { readStoredSettings } from './stored-settings.ts'

/** Returns the data folder given to a command. Exits with a usage error if there is none. */
export function dataFolder(command: Command): string {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data || command.error('no data folder given; use --data DIR or set CASEMILL_DATA')
}

interface WithStateOptions {
  /** Whether to create a missing folder. If false, a mistyped name gives an error instead of an empty folder. */
  readonly create: boolean
}

type Use<Result> = (database: Database) => Promise<Result>

/**
 * Opens the shared state (see sharedState), passes it to `use`, and closes it. The state is in the PostgreSQL
 * database of CASEMILL_STATE_URL, which needs no data folder, or in the data folder.
 */
export async function withSharedState<Result>(
  command: Command,
  options: WithStateOptions,
  use: Use<Result>,
): Promise<Result> {
  const { stateUrl, stateMigrates } = readStoredSettings()
  const dataFolder = stateUrl === undefined ? stateFolder(command, options) : ''
  return using(sharedState({ dataFolder, stateUrl, stateMigrates }), use)
}

function stateFolder(command: Command, { create }: WithStateOptions): string {
  const folder = dataFolder(command)
  if (create || existsSync(statePath(folder))) return folder
  throw noData(folder)
}

/** Opens the shared state for an import. A dry run creates no data folder. */
export async function withSharedStateToChange<Result>(
  command: Command,
  { dryRun }: { readonly dryRun: boolean },
  use: Use<Result>,
): Promise<Result> {
  const { stateUrl } = readStoredSettings()
  const isElsewhere = stateUrl !== undefined
  if (dryRun && !isElsewhere && !existsSync(statePath(dataFolder(command)))) {
    return using(await emptyState(), use)
  }
  return withSharedState(command, { create: true }, use)
}

/** Opens the shared state. If neither a database nor a data folder is given, the state is empty. */
export async function withSharedStateIfGiven<Result>(
  command: Command,
  use: Use<Result>,
): Promise<Result> {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  const isGiven = data || readStoredSettings().stateUrl !== undefined
  if (isGiven) return withSharedState(command, { create: false }, use)
  return using(await emptyState(), use)
}

async function using<Result>(database: Database, use: Use<Result>): Promise<Result> {
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
