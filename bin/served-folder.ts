import { mkdir } from 'node:fs/promises'
import { removeStatePart } from '../engine/internal.ts'
import { takeFolder } from '../engine/shared/index.ts'

/**
 * Takes a data folder for one service, making it if need be, and removes what a copy of state left there that
 * was ended in the middle; returns the function that gives it back.
 * @throws EngineError as takeFolder
 */
export async function takeServedFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true })
  const giveBack = takeFolder(folder)
  await removeStatePart(folder)
  return giveBack
}
