import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Command, Option } from 'commander'
import { EngineError, openState, statePath } from '../engine/index.ts'

/** The option of the whole program that says where its data lie. */
export function dataOption(): Option {
  return new Option('--data <dir>', 'data folder').env('CASEMILL_DATA')
}

/** The data folder a command was given; a usage error when there is none. */
export function dataFolder(command: Command): string {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data || command.error('no data folder given; use --data DIR or set CASEMILL_DATA')
}

export interface WithStateOptions {
  /** Whether a folder that is not there yet is made; a mistyped name must not look like an empty one. */
  readonly create: boolean
}

/** Opens the data folder's state for the time of `use`. */
export async function withState<Result>(
  command: Command,
  { create }: WithStateOptions,
  use: (state: DatabaseSync) => Result | Promise<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  const path = statePath(folder)
  if (!create && !existsSync(path)) {
    throw new EngineError('not_found', `no casemill data in "${folder}"; give its folder by --data`)
  }
  const state = openState(path)
  try {
    return await use(state)
  } finally {
    state.close()
  }
}
