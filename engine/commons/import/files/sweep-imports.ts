import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskSpace } from '../../../shared/disk-space.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import { sweepWorkFolder } from '../../release/work-folder.ts'
import { lockFolder } from './import-lock.ts'

const DAY_MILLISECONDS = 86_400_000
/** Number of days for which an interrupted import can be resumed. */
const RETENTION_DAYS = 7

/**
 * Removes what killed imports left in the data folder. Imports that can be resumed are kept for a week, or
 * removed at once if only the disk's reserve is left. Running imports are not affected.
 */
export async function sweepImports(dataFolder: string, space: DiskSpace): Promise<void> {
  await unlessLocked(sweepWorkFolder(dataFolder))
  const { hasSpace } = await space.state()
  const root = join(dataFolder, 'incoming')
  const oldest = Date.now() - RETENTION_DAYS * DAY_MILLISECONDS
  for (const entry of (await unlessAbsent(readdir(root, { withFileTypes: true }))) ?? []) {
    const folder = join(root, entry.name)
    if (!entry.isDirectory() || entry.name === 'commons') continue
    if (hasSpace && (await lastChange(folder)) > oldest) continue
    await unlessLocked(removeFolder(folder))
  }
}

async function removeFolder(folder: string): Promise<void> {
  const locked = await lockFolder(folder, 'an import is at work here')
  try {
    await locked.remove()
  } finally {
    locked.close()
  }
}

/** Returns the time of the last change in a folder, in milliseconds since the epoch. */
async function lastChange(folder: string): Promise<number> {
  const names = (await unlessAbsent(readdir(folder, { recursive: true }))) ?? []
  const all = [folder, ...names.map((name) => join(folder, name))]
  const times = all.map(async (path) => (await unlessAbsent(stat(path)))?.mtimeMs ?? 0)
  return Math.max(...(await Promise.all(times)))
}

async function unlessLocked(sweep: Promise<void>): Promise<void> {
  await sweep.catch((error: { readonly code?: unknown }) => {
    if (error.code !== 'conflict') throw error
  })
}
