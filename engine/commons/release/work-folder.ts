import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_THE_FILE } from '../../shared/database/sqlite/lock-file.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import { removeUnfinished } from './place-release.ts'

export interface WorkFolder {
  readonly path: string
  /** Removes it and lets others import. */
  remove(): Promise<void>
}

const SQLITE_BUSY = 5

/**
 * An empty folder for one import into a data folder. Only one import at a time may have it; what a
 * killed one left behind is removed.
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

/** Where an import works, on a disk of which a reserve is left free. */
export interface WorkPlace {
  readonly dataFolder: string
  readonly space: DiskSpace
  readonly signal?: AbortSignal | undefined
}

/**
 * Lends an empty folder for an import, and lets others import afterwards. The signal that comes with
 * it also ends what takes of the disk's reserve.
 * @throws EngineError conflict while another process imports, unavailable when the disk is full
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

/** Removes what an import that was killed left of its folder and of its release; while none runs. */
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

/** A lock of the system on an empty database: it ends with its process, however that ends. */
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
