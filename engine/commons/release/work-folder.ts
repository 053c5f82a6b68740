import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_THE_FILE } from '../../shared/database/sqlite/lock-file.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import { removeUnfinished } from './place-release.ts'

interface WorkFolder {
  readonly path: string
  /** Removes the folder. Other imports may then start. */
  remove(): Promise<void>
}

const SQLITE_BUSY = 5

/**
 * Opens an empty folder for an import into a data folder. Only one import may have it at a time. Removes what a
 * killed import left.
 * @throws EngineError conflict while another process imports
 */
export async function openWorkFolder(dataFolder: string): Promise<WorkFolder> {
  const { root, path, lockPath } = placesIn(dataFolder)
  await mkdir(root, { recursive: true })
  const lock = takeLock(lockPath)
  try {
    await rm(path, { recursive: true, force: true })
    await mkdir(path)
  } catch (error) {
    lock.close()
    throw error
  }
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      lock.close()
    },
  }
}

/** Data folder of an import, on a disk of which a reserve is kept free. */
interface WorkPlace {
  readonly dataFolder: string
  readonly space: DiskSpace
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a function with an empty work folder, and removes the folder afterwards. The function's signal also
 * aborts when only the disk's reserve is left.
 * @throws EngineError conflict while another process imports, unavailable if the disk is full
 */
export async function withWorkFolder<Result>(
  { dataFolder, space, signal }: WorkPlace,
  use: (path: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return space.guard(signal, async (signal) => {
    const work = await openWorkFolder(dataFolder)
    try {
      return await use(work.path, signal)
    } finally {
      await work.remove()
    }
  })
}

/** Removes the work folder and the unfinished release of a killed import. Must not run during an import. */
export async function sweepWorkFolder(dataFolder: string): Promise<void> {
  const { path, lockPath } = placesIn(dataFolder)
  if (!existsSync(lockPath)) return
  const lock = takeLock(lockPath)
  try {
    await rm(path, { recursive: true, force: true })
    await removeUnfinished(join(dataFolder, 'releases'))
  } finally {
    lock.close()
  }
}

function placesIn(dataFolder: string) {
  const root = join(dataFolder, 'incoming')
  return { root, path: join(root, 'commons'), lockPath: join(root, 'commons.lock') }
}

/** Locks an empty SQLite database. The lock ends with the process, however the process ends. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec(LOCK_THE_FILE)
    return lock
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY))
      throw cause
    throw new EngineError(
      'conflict',
      'another process imports into this data folder now; try again when it is done',
      { cause },
    )
  }
}
