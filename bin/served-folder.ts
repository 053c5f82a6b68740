import { mkdir } from 'node:fs/promises'
import { removeStatePart } from '../engine/internal.ts'
import { takeFolder } from '../engine/shared/index.ts'

/**
 * Locks a data folder for one service. Returns the function that unlocks it. Creates the folder if needed, and
 * removes what an interrupted copy of the state left.
 * @throws EngineError like takeFolder
 */
export async function takeServedFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true })
  const giveBack = takeFolder(folder)
  await removeStatePart(folder)
  return giveBack
}
