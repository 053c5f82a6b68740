import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_THE_FILE } from '../../../shared/database/sqlite/lock-file.ts'
import { EngineError } from '../../../shared/errors.ts'

// Primary result codes (sqlite.org/rescode.html).
const SQLITE_BUSY = 5
const SQLITE_CANTOPEN = 14

/** A folder that only one process at a time may use. */
export interface LockedFolder {
  readonly folder: string
  /** Removes the folder and its contents. The lock stays until `close`. */
  remove(): Promise<void>
  /** Releases the lock. The contents of the folder stay. Repeated calls do nothing. */
  close(): void
}

/**
 * Locks a folder. Creates it if needed.
 * @throws EngineError conflict with the given message if another process has the lock
 */
export async function lockFolder(folder: string, message: string): Promise<LockedFolder> {
  for (;;) {
    await mkdir(folder, { recursive: true })
    const lock = await takeLock(join(folder, 'lock.sqlite'), message)
    if (!lock) continue
    return {
      folder,
      remove: () => rm(folder, { recursive: true, force: true }),
      close: () => {
        if (lock.isOpen) lock.close()
      },
    }
  }
}

/**
 * Takes the lock. Returns undefined if its last holder has just removed it. The lock is a file lock of the
 * operating system on an empty SQLite database, so it ends with its process, for whatever reason.
 * @throws EngineError conflict if another process has it
 */
async function takeLock(path: string, message: string): Promise<DatabaseSync | undefined> {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    const opened = await inodeOf(path)
    lock.exec(LOCK_THE_FILE)
    if (opened !== undefined && opened === (await inodeOf(path))) return lock
  } catch (cause) {
    lock?.close()
    const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined
    // The folder was removed between its creation and the opening.
    if (code === SQLITE_CANTOPEN && (await inodeOf(path)) === undefined) return undefined
    if (code !== SQLITE_BUSY) throw cause
    throw new EngineError('conflict', message, { cause })
  }
  lock.close()
  return undefined
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}
