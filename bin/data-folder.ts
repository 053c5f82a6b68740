import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import { sharedState } from '../engine/internal.ts'
import { openState, statePath } from '../engine/shared/index.ts'
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

type Use<Result> = (state: DatabaseSync) => Result | Promise<Result>

/** Opens the data folder's state of the registry for the time of `use`. */
export async function withState<Result>(
  command: Command,
  options: WithStateOptions,
  use: Use<Result>,
): Promise<Result> {
  return withStateAt(statePath(stateFolder(command, options)), use)
}

/**
 * Opens, for the time of `use`, the state that servers share (see sharedState): a PostgreSQL database
 * where CASEMILL_STATE_URL names one, which needs no data folder, else that of the data folder.
 */
export async function withSharedState<Result>(
  command: Command,
  options: WithStateOptions,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { stateUrl } = readStoredSettings()
  const dataFolder = stateUrl === undefined ? stateFolder(command, options) : ''
  const database = sharedState({ dataFolder, stateUrl })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

function stateFolder(command: Command, { create }: WithStateOptions): string {
  const folder = dataFolder(command)
  if (create || existsSync(statePath(folder))) return folder
  throw noData(folder)
}

/** As withState for an import; nothing is made for a dry run, not even the data folder. */
export function withStateToChange<Result>(
  command: Command,
  { dryRun }: { readonly dryRun: boolean },
  use: Use<Result>,
): Promise<Result> {
  const isNothing = !existsSync(statePath(dataFolder(command)))
  if (dryRun && isNothing) return withStateAt(':memory:', use)
  return withState(command, { create: true }, use)
}

/** As withState for what needs no data: an empty state where no data folder is given. */
export function withStateIfGiven<Result>(command: Command, use: Use<Result>): Promise<Result> {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data ? withState(command, { create: false }, use) : withStateAt(':memory:', use)
}

async function withStateAt<Result>(path: string, use: Use<Result>): Promise<Result> {
  const state = openState(path)
  try {
    return await use(state)
  } finally {
    state.close()
  }
}
