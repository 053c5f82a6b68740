import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'

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
  const root = join(dataFolder, 'incoming')
  await mkdir(root, { recursive: true })
  const lock = takeLock(join(root, 'commons.lock'))
  const path = join(root, 'commons')
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

/**
 * Lends an empty folder for an import, and lets others import afterwards.
 * @throws EngineError conflict while another process imports
 */
export async function withWorkFolder<Result>(
  dataFolder: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const work = await openWorkFolder(dataFolder)
  try {
    return await use(work.path)
  } finally {
    await work.remove()
  }
}

/** A lock of the system on an empty database: it ends with its process, however that ends. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('BEGIN EXCLUSIVE')
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
