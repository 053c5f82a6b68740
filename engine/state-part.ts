import { existsSync, renameSync, rmdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { statePath } from './shared/catalogue/state.ts'
import { databasePath } from './shared/database/open.ts'

/** Where a copy makes the databases of a data folder before they are whole. */
export function statePart(dataFolder: string): string {
  return join(dataFolder, 'state.part')
}

/**
 * Whether a copy of state has put its first database in place and not yet its second. Nobody else makes the
 * first without the second beside it, and a copy does so only once both are whole.
 */
export function isHalfCopied(dataFolder: string): boolean {
  return (
    !existsSync(statePath(dataFolder)) &&
    existsSync(databasePath(dataFolder)) &&
    existsSync(statePath(statePart(dataFolder)))
  )
}

/** Puts the second database of a copy in its place, whether or not the copy still lives. */
export function finishCopy(dataFolder: string): void {
  if (!isHalfCopied(dataFolder)) return
  const part = statePart(dataFolder)
  try {
    renameSync(statePath(part), statePath(dataFolder))
    rmdirSync(part)
  } catch (error) {
    // Another process was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Removes what a copy of state left that was ended in the middle; the caller has the folder (`takeFolder`). */
export async function removeStatePart(dataFolder: string): Promise<void> {
  finishCopy(dataFolder)
  await rm(statePart(dataFolder), { recursive: true, force: true })
}
