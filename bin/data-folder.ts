import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { emptyState, sharedState } from '../engine/internal.ts'
import { statePath } from '../engine/shared/index.ts'
import type { Database } from '../engine/shared/internal.ts'
import { noData } from './has-data.ts'
import { readStoredSettings } from './stored-settings.ts'

/** The data folder a command was given; a usage error when there is none. */
export function dataFolder(command: Command): string {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data || command.error('no data folder given; use --data DIR or set CASEMILL_DATA')
}

export interface WithStateOptions {
  /** Whether a folder that is not there yet is made; a mistyped name must not look like an empty one. */
  readonly create: boolean
}

type Use<Result> = (database: Database) => Promise<Result>

/**
 * Opens, for the time of `use`, the state that servers share (see sharedState): a PostgreSQL database
 * where CASEMILL_STATE_URL names one, which needs no data folder, else that of the data folder.
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

/** As withSharedState for an import; no data folder is made for a dry run. */
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

/** As withSharedState for what needs no data: an empty state where none is given. */
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
