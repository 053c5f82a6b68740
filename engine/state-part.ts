import { existsSync, renameSync, rmdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { statePath } from './shared/catalogue/state.ts'
import { databasePath } from './shared/database/open.ts'

/** Returns the folder in which copyState builds the databases of a data folder until they are complete. */
export function statePart(dataFolder: string): string {
  return join(dataFolder, 'state.part')
}

/**
 * Returns whether copyState was interrupted between moving the first and the second database into the data
 * folder. It moves them only when both are complete, and nothing else creates the first without the second.
 */
export function isHalfCopied(dataFolder: string): boolean {
  return (
    !existsSync(statePath(dataFolder)) &&
    existsSync(databasePath(dataFolder)) &&
    existsSync(statePath(statePart(dataFolder)))
  )
}

/** Moves the second database into place, if copyState is doing so or was interrupted before it. */
export function finishCopy(dataFolder: string): void {
  if (!isHalfCopied(dataFolder)) return
  const part = statePart(dataFolder)
  try {
    renameSync(statePath(part), statePath(dataFolder))
    rmdirSync(part)
  } catch (error) {
    // Another process has moved it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Removes the remains of an interrupted copyState. The caller must hold the lock of the folder (takeFolder). */
export async function removeStatePart(dataFolder: string): Promise<void> {
  finishCopy(dataFolder)
  await rm(statePart(dataFolder), { recursive: true, force: true })
}
